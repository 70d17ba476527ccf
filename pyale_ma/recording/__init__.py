"""Recordings: what was played, as a small file that is played again, step by step and bit by bit.

::

    from pyale_ma.recording import Recording, record

    with record(env, "play.zip"):  # of any layer, in any wrappers
        ...  # play
    recording = Recording.open("play.zip")
    print(recording.verify())  # play it again, and compare
    for step in recording.steps(obs_type="grayscale"):
        ...

A file has the seeds, the actions and what they led to; observations are made anew.
``docs/recordings.md`` is the guide; ``docs/development/recording-file.md`` specifies the file.
"""

from pyale_ma.recording.data.dataset import Dataset, DatasetEpisode
from pyale_ma.recording.data.memory import SequenceMemory
from pyale_ma.recording.file.format import Header, Played, RecordingError
from pyale_ma.recording.replay.layers.consoles import Console
from pyale_ma.recording.replay.recording import Episode, Recording, Step, Verdict
from pyale_ma.recording.replay.windows import Windows
from pyale_ma.recording.writer import Recorder, record

__all__ = [
    "Console",
    "Dataset",
    "DatasetEpisode",
    "Episode",
    "Header",
    "Played",
    "Recorder",
    "Recording",
    "RecordingError",
    "SequenceMemory",
    "Step",
    "Verdict",
    "Windows",
    "record",
]
