"""Directions in a space of words: axes between poles, where words stand along them, and vectors without them."""

from firth.directions.axis import Axis, axis, axis_between, neutralise, project

__all__ = ["Axis", "axis", "axis_between", "neutralise", "project"]
