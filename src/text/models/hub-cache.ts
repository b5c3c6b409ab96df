import { transformers } from './onnx/runtime.ts'

/** Returns the folder where downloads from the hub are kept; empty where the package that fetches them is not installed. */
export const hubCache = (): Promise<string> =>
  transformers().then(
    ({ env }) => env.cacheDir ?? '',
    () => '',
  )
