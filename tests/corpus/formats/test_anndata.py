"""AnnData objects, with the package itself where it is installed and with a small object of the same shape."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tests.assertions import raises_input
from topicwright import Corpus, InputError

COUNTS = np.array([[2, 0, 1], [0, 3, 0]])
GENES = ["CD3D", "MS4A1", "NKG7"]


def like_anndata(X, obs, var, layers):
    return SimpleNamespace(X=X, obs=obs, obs_names=obs.index, var_names=var.index, layers=layers)


def real_anndata(X, obs, var, layers):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    return anndata.AnnData(X=X, obs=obs, var=var, layers=layers)


@pytest.fixture(params=[real_anndata, like_anndata], ids=["anndata", "stand-in"])
def cells(request):
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(["T", "B"]),
            "score": [0.5, np.nan],
            "day": pd.to_datetime(["2019-05-03", None]),
        },
        index=["c1", "c2"],
    )
    layers = {"counts": sp.csr_matrix(COUNTS.astype(np.float32)), "log": np.log1p(COUNTS)}
    return request.param(np.asarray(COUNTS, dtype=np.float32), obs, pd.DataFrame(index=GENES), layers)


@pytest.mark.parametrize("layer", [None, "counts"])
def test_counts_names_and_columns(cells, layer):
    corpus = Corpus.from_anndata(cells, layer, labels="cell_type", target="score", date="day")
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), COUNTS)
    assert corpus.vocabulary.tolist() == GENES
    assert corpus.ids == ("c1", "c2")
    assert corpus.labels == (("T",), ("B",))
    np.testing.assert_array_equal(corpus.targets, [0.5, np.nan])
    assert corpus.dates.astype(str).tolist() == ["2019-05-03T00:00:00", "NaT"]


def test_columns_are_optional(cells):
    corpus = Corpus.from_anndata(cells)
    assert corpus.labels is corpus.targets is corpus.dates is None


def test_views_of_some_cells(cells):
    if isinstance(cells, SimpleNamespace):
        pytest.skip("only AnnData has views")
    assert Corpus.from_anndata(cells[["c2"]], "counts").ids == ("c2",)


def test_files_on_disk(cells, tmp_path):
    if isinstance(cells, SimpleNamespace):
        pytest.skip("only AnnData has files")
    import anndata

    del cells.obs["day"]  # an .h5ad file cannot hold dates
    cells.X = cells.layers["counts"]
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    np.testing.assert_array_equal(Corpus.from_anndata(backed).to_matrix().toarray(), COUNTS)
    backed.file.close()


def test_wrong_objects(cells):
    with raises_input("adata", got=list):
        Corpus.from_anndata([[1, 2]])
    with raises_input("layer", got="raw"):
        Corpus.from_anndata(cells, "raw")
    with pytest.raises(InputError, match="no column 'tissue'") as caught:
        Corpus.from_anndata(cells, labels="tissue")
    assert caught.value.where == "adata.obs"
    with pytest.raises(InputError, match="whole numbers"):
        Corpus.from_anndata(cells, "log")


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_names_must_be_unique():
    obs, var = pd.DataFrame(index=["c1", "c2"]), pd.DataFrame(index=["A", "B", "A"])
    with raises_input("adata", got="A", match="var_names_make_unique"):
        Corpus.from_anndata(like_anndata(COUNTS, obs, var, {}))
    with raises_input("layer", match="X is None"):
        Corpus.from_anndata(like_anndata(None, obs, pd.DataFrame(index=GENES), {"counts": COUNTS}))
