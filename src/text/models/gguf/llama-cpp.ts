/**
 * The part of node-llama-cpp (version 3) that is used. It is an optional peer of 85 MB and more, imported when a GGUF file is loaded;
 * `UWBENCH_LLAMA_CPP` names a folder with `node_modules/node-llama-cpp` where it is installed beside the project.
 */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Asks for the logits after a token. */
type Input = number | readonly [number, { readonly generateNext: { readonly logits: true } }]

export interface LlamaSequence {
  controlledEvaluate(
    input: readonly Input[],
  ): Promise<readonly ({ readonly next: { readonly logits?: ReadonlyMap<number, number> } } | undefined)[]>
  clearHistory(): Promise<void>
  dispose(): void
}

export interface LlamaContext {
  getSequence(): LlamaSequence
  dispose(): Promise<void>
}

export interface LlamaModel {
  readonly trainContextSize: number
  readonly tokens: {
    readonly bos: number | null
    readonly eos: number | null
    readonly eot: number | null
    readonly shouldPrependBosToken: boolean
  }
  readonly fileInfo: {
    readonly metadata: {
      readonly tokenizer: {
        readonly ggml: { readonly tokens: readonly unknown[] }
        readonly chat_template?: string
      }
    }
  }
  tokenize(text: string, specialTokens: boolean, options?: 'trimLeadingSpace'): number[]
  detokenize(tokens: readonly number[], specialTokens: boolean): string
  createContext(options: {
    readonly sequences: number
    readonly contextSize: number
    readonly threads: number
  }): Promise<LlamaContext>
  dispose(): Promise<void>
}

interface Llama {
  loadModel(options: { readonly modelPath: string; readonly gpuLayers?: number }): Promise<LlamaModel>
  dispose(): Promise<void>
}

interface LlamaCpp {
  getLlama(options: {
    readonly gpu?: 'auto' | false
    readonly build: 'never'
    readonly logLevel: 'error'
  }): Promise<Llama>
}

/** Variables of a process: types of Node would not compile in a browser. */
type Environment = Readonly<Record<string, string | undefined>>

const PACKAGE = 'node-llama-cpp'

/** Finds the library: in the folder that `UWBENCH_LLAMA_CPP` names, or beside this package. */
function locate({ UWBENCH_LLAMA_CPP: folder }: Environment): string {
  const from = folder ? join(resolve(folder), 'package.json') : import.meta.url
  return createRequire(from).resolve(PACKAGE)
}

/** Tells whether the library is installed. */
export function hasLlamaCpp(env: Environment = process.env): boolean {
  try {
    return locate(env) !== ''
  } catch {
    return false
  }
}

/** Compiles a Jinja template with the library that node-llama-cpp has for them. */
export async function jinja(source: string, env: Environment = process.env) {
  const found = createRequire(locate(env)).resolve('@huggingface/jinja')
  const { Template } = (await import(/* @vite-ignore */ pathToFileURL(found).href)) as {
    readonly Template: new (source: string) => { render(values: object): string }
  }
  return new Template(source)
}

/** Opens the library; on the processor unless a device is asked for. */
export async function openLlama(device = 'cpu', env: Environment = process.env): Promise<Llama> {
  let library: LlamaCpp
  try {
    library = (await import(/* @vite-ignore */ pathToFileURL(locate(env)).href)) as LlamaCpp
  } catch (cause) {
    throw new Error(`GGUF models need the package ${PACKAGE}: npm install ${PACKAGE}`, { cause })
  }
  return library.getLlama({ gpu: device === 'cpu' ? false : 'auto', build: 'never', logLevel: 'error' })
}
