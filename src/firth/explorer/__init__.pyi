from firth.explorer.server import build_app as build_app

__all__: list[str]
