import { defineConfig } from 'uwbench/config'

export default defineConfig({
  watermark: './my-watermark.ts',
  // keyFile: './key', // keep it out of version control
})
