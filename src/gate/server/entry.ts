/** The entry `uwbench/server`: tests a watermark where it runs, behind an OpenAI-style server. Needs Node. */

export { ServerFailure } from '../../text/models/index.ts'
export { checkServer, type ServerCheckOptions } from './check-server.ts'
export type { Fields, ServerUnderTest } from './server.ts'
