"""The six objects from which the console's video chip draws a picture, and boxes around them.

Object n is bit n in each pixel of the observation type "objects" and of ``getScreenObjects``, and
channel n of the observations of vectors.
"""

from pyale_ma.console.objects import Object, ObjectBox, boxes_of

__all__ = ["Object", "ObjectBox", "boxes_of"]
