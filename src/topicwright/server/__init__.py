"""HTTP server of ``topicwright serve``: topics, predictions and explanations for other programs.

- ``app.py``: the FastAPI application, its paths and its documentation page
- ``schemas.py``: requests and responses, as OpenAPI describes them
- ``service.py``: validation of requests, batches of documents, scheduling
- ``served_model.py``: the model and its replacement while the server runs
- ``metrics.py``: metrics and the access log
- ``auth.py``: middleware for access control
- ``requests.py``: middleware for request limits, ASGI types and error responses
- ``connections.py``: HTTP connections and their limits
- ``lifecycle.py``: the socket, start and shutdown
- ``workers.py``: worker processes

FastAPI and uvicorn are in ``pip install 'topicwright[serve]'``.
"""
