import type { Server } from 'node:net'
import { expect, it, vi } from 'vitest'
import { startPostgres } from '../../../examples/sql-ledger/local/startPostgres.ts'

const others: Server[] = []

/** Two ports are another one's as soon as they were free. */
vi.mock('node:net', async (original) => {
  const net = await original<typeof import('node:net')>()
  let lost = 0
  const listen = (server: Server): Server => {
    if (lost === 2) return server
    lost += 1
    others.push(server.unref())
    server.close = (done?: () => void) => {
      done?.()
      return server
    }
    return server
  }
  return { ...net, createServer: () => listen(net.createServer()) }
})

it('PostgreSQL gets another port where the first one is taken before it listens', async () => {
  const server = await startPostgres()
  try {
    expect(others).toHaveLength(2)
    const taken = others.map((other) => JSON.stringify(other.address()))
    expect(taken.join()).not.toContain(`"port":${new URL(server.url).port}`)
  } finally {
    await server.stop()
  }
})
