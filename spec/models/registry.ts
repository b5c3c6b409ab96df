/** An npm registry on this machine, with packages that a test makes. */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A tar archive: each header has the name, the mode, the size and a checksum over itself. */
export function tar(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('000644 \0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')} `, 124)
    header.write('        0', 148)
    header.write('ustar\u000000', 257, 'latin1')
    const sum = header.reduce((a, b) => a + b, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export const integrityOf = (tarball: Uint8Array): string =>
  `sha512-${createHash('sha512').update(tarball).digest('base64')}`

interface Served {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly tarball: Uint8Array
}

/** Serves packages by name, one version each. */
export async function openRegistry(
  packages: Readonly<Record<string, Served>>,
): Promise<{ server: Server; registry: string }> {
  let registry = ''
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1).replace(/\.tgz$/, '')
    const found = packages[name]
    if (found === undefined) response.writeHead(404).end('{}')
    else if (url.endsWith('.tgz')) response.end(found.tarball)
    else {
      const { manifest, tarball } = found
      const dist = { tarball: `${registry}/${name}.tgz`, integrity: integrityOf(tarball) }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ name, versions: { [manifest.version]: { ...manifest, dist } } }))
    }
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { server, registry }
}
