// Shows the queues in a browser: npm install --no-save bullmq ioredis express @bull-board/api @bull-board/express
//                                node board.mjs redis://localhost:6379   (then open http://localhost:3000)
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { ExpressAdapter } from '@bull-board/express'
import { Queue } from 'bullmq'
import express from 'express'
import { Redis } from 'ioredis'

const connection = new Redis(process.argv[2] ?? 'redis://localhost:6379', { maxRetriesPerRequest: null })
const names = await connection.smembers('uwbench:queues')
const queues = names.map(
  (name) => new BullMQAdapter(new Queue(name, { connection, prefix: 'uwbench' }), { readOnlyMode: true }),
)
const serverAdapter = new ExpressAdapter()
createBullBoard({ queues, serverAdapter })
// the board shows the whole study, so it listens on this machine only
const server = express()
  .use('/', serverAdapter.getRouter())
  .listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
server.on('listening', () =>
  console.log(`${names.length} queues at http://localhost:${server.address().port}`),
)
