/** Files that are fetched once and kept in the browser, so that the playground then works offline. */

/** The cache that the service worker shares. */
export const CACHE = 'uwbench-playground'

async function kept(url: string): Promise<Response> {
  // `caches` exists in secure contexts only: https and localhost
  const cache = 'caches' in globalThis ? await caches.open(CACHE).catch(() => undefined) : undefined
  const found = await cache?.match(url)
  if (found !== undefined) return found
  const response = await fetch(url)
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`)
  // a full disk must not stop the playground
  await cache?.put(url, response.clone()).catch(() => undefined)
  return response
}

/** Fetches a gzip file and returns its decompressed bytes. */
export async function unpacked(url: string, onProgress?: (bytes: number) => void): Promise<Uint8Array> {
  const response = await kept(url)
  let loaded = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      loaded += chunk.byteLength
      onProgress?.(loaded)
      controller.enqueue(chunk)
    },
  })
  const stream = response
    .body!.pipeThrough(counted)
    .pipeThrough(new DecompressionStream('gzip') as TransformStream<Uint8Array, Uint8Array>)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Removes the files that an earlier version of the playground kept. */
export async function forgetOthers(addresses: ReadonlySet<string>): Promise<void> {
  if (!('caches' in globalThis)) return
  const cache = await caches.open(CACHE)
  for (const { url } of await cache.keys())
    if (new URL(url).searchParams.has('v') && !addresses.has(url)) await cache.delete(url)
}

export const json = async <T>(url: string): Promise<T> => (await (await kept(url)).json()) as T
