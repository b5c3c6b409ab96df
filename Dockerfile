# uwbench with Node, its models and its laws:
#   docker build -t uwbench .
#   docker run --rm -v "$PWD:/work" uwbench check ./mine.js
FROM node:22.21.1-bookworm-slim

WORKDIR /opt/uwbench
# dependencies first: they change less often than the source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm cache clean --force

# stories15m, minilm and tinyllama are fetched at first use: mount a folder here to keep them
ENV UWBENCH_CACHE=/models
RUN mkdir -p /models /work && chown node:node /models /work
VOLUME /models

USER node
WORKDIR /work
ENTRYPOINT ["node", "/opt/uwbench/dist/cli/uwbench.js"]
CMD ["--help"]
