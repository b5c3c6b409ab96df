// Compiles src/core/kernels/assembly to WebAssembly and writes it in hexadecimal to src/core/kernels/binary.ts, which is committed, so that
// bundlers and browsers need no fetch. (Compressed, base64 would be a fifth longer: it hides repeated bytes.) The compiler is pinned and its output is the same to the byte: spec/kernels checks it.
// The folder text/ is a module of its own, text-binary.ts: only detectMany needs it, and a page that detects one text does not pay for it.
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What is written, and the folder of its sources. */
export const binaries = { 'binary.ts': 'assembly', 'text-binary.ts': 'assembly/text' }

/** Every function that one of these files exports is a kernel; what they share lies in the folder vector/. */
const kernelFiles = (folder) =>
  readdirSync(`${root}/src/core/kernels/${folder}`)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `src/core/kernels/${folder}/${name}`)

/** The text of a binary of src/core/kernels, compiled anew. */
export async function compileKernels(name) {
  const files = new Map()
  const { error, stderr } = await asc.main(
    [
      ...kernelFiles(binaries[name]),
      ...['--outFile', 'kernels.wasm', '-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd'],
      ...['--importMemory', '--noExportMemory', '--initialMemory', '1024', '--maximumMemory', '1024'],
      // memory starts as zeros: what is filled at the start takes no room in the file
      ...['--zeroFilledMemory', '--baseDir', root],
    ],
    { writeFile: (name, contents) => files.set(name, contents) },
  )
  if (error) throw new Error(`assemblyscript: ${error.message}\n${stderr}`)
  const hexadecimal = Buffer.from(files.get('kernels.wasm')).toString('hex')
  return `/** WebAssembly of src/core/kernels/${binaries[name]}, in hexadecimal. Written by scripts/kernels.mjs. */\nexport const binary =\n  '${hexadecimal}'\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of Object.keys(binaries))
    writeFileSync(`${root}/src/core/kernels/${name}`, await compileKernels(name))
