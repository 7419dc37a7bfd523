from firth.explanation.method_agreement import agreement as agreement

__all__: list[str]
