import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { startPostgres } from '../../../examples/sql-ledger/local/startPostgres.ts'
import { freePort } from '../../store/dynoxide.ts'

it('PostgreSQL gets another port where the first one is taken before it listens', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port: taken } = other.address() as AddressInfo
  const ports = [taken, await freePort()]
  const server = await startPostgres(async () => ports.shift() ?? freePort())
  try {
    expect(ports).toHaveLength(0)
    expect(server.url).not.toContain(`:${taken}/`)
  } finally {
    await server.stop()
    other.close()
  }
})
