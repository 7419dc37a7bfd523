from firth.alignment.retrieval import evaluate_retrieval as evaluate_retrieval

__all__: list[str]
