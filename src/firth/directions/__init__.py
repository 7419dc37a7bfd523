"""Semantic axes: directions between poles, projection onto them, and removal from vectors."""

from firth.directions.axis import Axis, axis, axis_between, neutralise, project

__all__ = ["Axis", "axis", "axis_between", "neutralise", "project"]
