"""Interactive steering of a model: correct its topics step by step, update it, compare, undo.

>>> import topicwright as tw
>>> from topicwright.steering import Steering, Together
>>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
>>> steering = Steering(tw.LDA(n_topics=2, n_sweeps=20).fit(texts))
>>> steering.add(Together(("ship", "boat")))
[]
>>> changes = steering.update(5)
>>> [step.sentence(steering.names) for step in steering.steps]
['ship and boat belong together', 'the model was updated with 5 sweeps']
>>> steering.undo().sentence()
'the model was updated with 5 sweeps'
"""

from .comparison import Changes, Comparison, TopicChange, TopicDifference
from .replay import replay
from .session import Steering, UpdateInProgressError
from .steps import (
    Apart,
    Forget,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    Show,
    SplitTopic,
    Step,
    Together,
    Unpin,
    Update,
    step_from_dict,
)

__all__ = [
    "Apart",
    "Changes",
    "Comparison",
    "Forget",
    "Hide",
    "InTopic",
    "LabelDocument",
    "MergeTopics",
    "NeverIn",
    "Pin",
    "Rename",
    "Show",
    "SplitTopic",
    "Steering",
    "Step",
    "Together",
    "TopicChange",
    "TopicDifference",
    "Unpin",
    "Update",
    "UpdateInProgressError",
    "replay",
    "step_from_dict",
]
