# A server of models: docker build -t firth . && docker run -p 127.0.0.1:8000:8000 -v ./models:/models:ro firth /models/wiki.firth
# EXTRAS=explorer,neural serves neural models as well.
FROM python:3.13-slim
ARG EXTRAS=explorer
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir ".[${EXTRAS}]" && rm -rf /source && useradd --create-home firth
WORKDIR /home/firth
USER firth
EXPOSE 8000
ENTRYPOINT ["firth", "serve", "--host", "0.0.0.0", "--port", "8000"]
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
