/** Keeps the playground in the browser, so that it works offline. Versioned files come from the cache, others from the network first. */
import { CACHE } from './kept-files.ts'
import { addressIn, type Manifest } from './protocol.ts'

/** The parts of a service worker's scope used here; the types of pages do not have them. */
interface Scope {
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}
interface Fetched extends Extendable {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

const scope = globalThis as unknown as Scope
const { scope: base } = scope.registration

const PAGE = ['./', 'page.js', 'worker.js', 'playground.css', 'playground.json']

async function install(): Promise<void> {
  const cache = await caches.open(CACHE)
  const manifest = (await (await fetch(new URL('playground.json', base))).json()) as Manifest
  const at = addressIn(base, manifest)
  // modules are imported, not fetched; the worker keeps the other files itself
  const modules = Object.keys(manifest.digests).filter((file) => file.endsWith('.mjs'))
  const own = manifest.own === undefined ? [] : [manifest.own]
  await cache.addAll([...[...PAGE, ...own].map((file) => new URL(file, base).href), ...modules.map(at)])
  await scope.skipWaiting()
}

async function fromNetwork(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(request, response.clone())
    return response
  } catch (error) {
    const found = await cache.match(request.mode === 'navigate' ? base : request)
    if (found === undefined) throw error
    return found
  }
}

async function fromCache(request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(request)) ?? fromNetwork(request)
}

scope.addEventListener('install', (event) => event.waitUntil(install()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(base)) return
  event.respondWith(new URL(request.url).searchParams.has('v') ? fromCache(request) : fromNetwork(request))
})
