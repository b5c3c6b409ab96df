/** Bundles hold what they use: published codes, theory and the other methods are dropped where nobody asks for them. */
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'

/** The modules of src/ in a bundle of a program, and the bundle's size in bytes, minified and gzipped. */
async function bundle(program: string): Promise<{ modules: string[]; size: number }> {
  const entry = 'virtual:program'
  const built = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    resolve: { alias: { uwbench: join(root, 'src/index.ts') } },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? `\0${entry}` : undefined),
        load: (id) => (id === `\0${entry}` ? program : undefined),
      },
    ],
    build: { write: false, minify: true, rolldownOptions: { input: entry, output: { format: 'es' } } },
  })
  const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput
  const chunks = output.filter((file) => file.type === 'chunk')
  const modules = chunks
    .flatMap((chunk) => Object.entries(chunk.modules))
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => relative(root, id))
  return { modules, size: gzipSync(chunks.map(({ code }) => code).join('')).length }
}

const using = (names: string): string => `import { ${names} } from 'uwbench'; globalThis.used = [${names}]`

test('detect and gumbel: no published code, no other method, at most 19.5 kB', async () => {
  const { modules, size } = await bundle(using('detect, gumbel'))
  expect(modules).toContain('src/watermarks/gumbel.ts')
  expect(modules.filter((id) => /^src\/(watermarks\/published|theory|text|bench|gate)\//.test(id))).toEqual(
    [],
  )
  expect(modules.filter((id) => /watermarks\/(?!(mechanisms\/)?gumbel)/.test(id))).toEqual([])
  expect(size).toBeLessThanOrEqual(19_500)
})

test('kgw brings its own published codes and no others', async () => {
  const { modules } = await bundle(using('detect, kgw'))
  const codes = modules.filter((id) => id.startsWith('src/watermarks/published/codes/'))
  expect(codes.sort()).toEqual([
    'src/watermarks/published/codes/engine-green.ts',
    'src/watermarks/published/codes/green.ts',
    'src/watermarks/published/codes/kgw.ts',
    'src/watermarks/published/codes/permutation.ts',
    'src/watermarks/published/codes/scored.ts',
    'src/watermarks/published/codes/self-hash.ts',
    'src/watermarks/published/codes/shared-seeds.ts',
    'src/watermarks/published/codes/textseal.ts',
    'src/watermarks/published/codes/vllm.ts',
  ])
  expect(modules).not.toContain('src/watermarks/published/synthid.ts')
})

test('gumbel has its published codes where asPublished is, and only those', async () => {
  const program = `import { asPublished } from '${join(root, 'src/watermarks/reference.ts')}'; import { gumbel } from 'uwbench'; globalThis.used = asPublished(gumbel(), 'vllm')`
  const { modules } = await bundle(program)
  const codes = modules.filter((id) => id.startsWith('src/watermarks/published/codes/'))
  expect(codes.sort()).toEqual([
    'src/watermarks/published/codes/engine-uniforms.ts',
    'src/watermarks/published/codes/scored.ts',
    'src/watermarks/published/codes/sglang.ts',
    'src/watermarks/published/codes/shared-seeds.ts',
    'src/watermarks/published/codes/textseal.ts',
    'src/watermarks/published/codes/torch-uniforms.ts',
    'src/watermarks/published/codes/uniforms.ts',
    'src/watermarks/published/codes/vllm.ts',
  ])
})

test('the check would see a published code', async () => {
  const { modules } = await bundle(`${using('detect, gumbel, synthid')}`)
  expect(modules).toContain('src/watermarks/published/codes/bits.ts')
})
