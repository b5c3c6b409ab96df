/** A static server for one playground, on this machine only. */
import { createServer, type Server } from 'node:http'
import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** What lies at a path, without its leading slash; undefined where there is nothing. */
export type Lookup = (path: string) => Promise<Uint8Array | undefined> | Uint8Array | undefined

export interface Serving {
  readonly url: string
  close(): Promise<void>
}

/** The path of a request; undefined for one that is none. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).slice(1)
    return path === '' || path.endsWith('/') ? `${path}index.html` : path
  } catch {
    return undefined
  }
}

/** Other pages in the same browser must not read what is served: requests by another host name are refused. */
const isLocal = (host: string | undefined): boolean => /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host ?? '')

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} is in use; give another with --port N, or 0 for a free one`)
          : error,
      ),
    )
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** @param port 0 for a free one */
export async function serve(lookup: Lookup, port: number): Promise<Serving> {
  const server = createServer(async (request, response) => {
    const path = pathOf(request.url ?? '/')
    const known = isLocal(request.headers.host) && (request.method === 'GET' || request.method === 'HEAD')
    const body = known && path !== undefined ? await lookup(path) : undefined
    if (body === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n')
      return
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(path!)] ?? 'application/octet-stream',
      'content-length': body.length,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  const at = await listen(server, port)
  return {
    url: `http://localhost:${at}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
