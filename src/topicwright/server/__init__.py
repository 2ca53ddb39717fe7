"""The HTTP server of ``topicwright serve``: what a model says of documents, for other programs.

    door.py       every request comes in here: who may ask, how much, how many at a time
    access.py     hosts, origins, the token
    schemas.py    what is asked and answered, as OpenAPI tells it
    service.py    what is asked of the model, checked and done
    work.py       threads, and turns between large requests and small ones
    app.py        the paths
    running.py    the socket, and the end

FastAPI and uvicorn come with ``pip install 'topicwright[serve]'``.
"""
