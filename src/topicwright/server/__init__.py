"""HTTP server of ``topicwright serve``: topics, predictions and explanations for other programs.

- ``app.py``: the FastAPI application, its paths and its documentation page
- ``schemas.py``: requests and responses, as OpenAPI describes them
- ``service.py``: validation of requests, batches of documents, worker threads
- ``auth.py``: middleware for access control
- ``requests.py``: middleware for request limits, ASGI types and error responses
- ``lifecycle.py``: the socket, start and shutdown

FastAPI and uvicorn are in ``pip install 'topicwright[serve]'``.
"""
