# `mailstop serve` in a container: no root, no shell needed, the store in /data, a token required (docs/tokens.md).
#   docker build -t mailstop .
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN python -m venv /opt/mailstop && /opt/mailstop/bin/pip install --no-cache-dir "/source[serve]"

FROM python:${PYTHON}-slim
COPY --from=build /opt/mailstop /opt/mailstop
# Of this user alone, as a store has to be; a named volume takes it over.
RUN install -d -m 0700 -o 65532 -g 65532 /data
ENV PATH=/opt/mailstop/bin:$PATH HOME=/data MAILSTOP_HTTP_HOST=0.0.0.0 MAILSTOP_HTTP_PORT=8471
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8471
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["python", "-m", "mailstop.resident.probe"]
ENTRYPOINT ["mailstop"]
CMD ["serve"]
