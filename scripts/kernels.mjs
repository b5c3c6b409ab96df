// Compiles src/kernels/assembly to WebAssembly and writes it in hexadecimal to src/kernels/binary.ts, which is committed, so that
// bundlers and browsers need no fetch. (Compressed, base64 would be a fifth longer: it hides repeated bytes.) The compiler is pinned and its output is the same to the byte: spec/kernels checks it.
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Every function that one of these files exports is a kernel; what they share lies in the folder vector/. */
const kernelFiles = readdirSync(`${root}/src/kernels/assembly`)
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => `src/kernels/assembly/${name}`)

/** The text of src/kernels/binary.ts, compiled anew. */
export async function compileKernels() {
  const files = new Map()
  const { error, stderr } = await asc.main(
    [
      ...kernelFiles,
      ...['--outFile', 'kernels.wasm', '-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd'],
      ...['--importMemory', '--noExportMemory', '--initialMemory', '1024', '--maximumMemory', '1024'],
      // memory starts as zeros: what is filled at the start takes no room in the file
      ...['--zeroFilledMemory', '--baseDir', root],
    ],
    { writeFile: (name, contents) => files.set(name, contents) },
  )
  if (error) throw new Error(`assemblyscript: ${error.message}\n${stderr}`)
  const hexadecimal = Buffer.from(files.get('kernels.wasm')).toString('hex')
  return `/** WebAssembly of src/kernels/assembly, in hexadecimal. Written by scripts/kernels.mjs. */\nexport const binary =\n  '${hexadecimal}'\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${root}/src/kernels/binary.ts`, await compileKernels())
