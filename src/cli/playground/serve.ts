/** A static server for one playground, reachable from this machine only. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** Returns the file at a path without its leading slash, or undefined. */
export type Lookup = (path: string) => Uint8Array | undefined

export interface Serving {
  readonly url: string
  close(): Promise<void>
}

/** Returns the path of a request; undefined if it does not decode. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).slice(1)
    return path === '' || path.endsWith('/') ? `${path}index.html` : path
  } catch {
    return undefined
  }
}

/** Refuses other host names, so that other pages in the same browser cannot read the files. */
const isLocal = (host: string | undefined): boolean => /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host ?? '')

/** Starts listening and returns the port. */
async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; give another port with --port N, or --port 0 for a free one`)
  }
  return (server.address() as AddressInfo).port
}

/** Serves files until closed. @param port 0 for a free port */
export async function serve(lookup: Lookup, port: number): Promise<Serving> {
  const server = createServer((request, response) => {
    const path = pathOf(request.url ?? '/')
    const known = isLocal(request.headers.host) && (request.method === 'GET' || request.method === 'HEAD')
    const body = known && path !== undefined ? lookup(path) : undefined
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
