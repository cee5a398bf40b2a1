import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { s3Objects } from 'lineclear/s3'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { awsMessenger } from '../../src/library/adapters/send/awsMessenger.ts'

const sockets: Socket[] = []
let server: Server
const environment: Record<string, string> = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_MAX_ATTEMPTS: '1',
}
beforeAll(async () => {
  server = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  environment['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${port}`
})
beforeEach(() => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

describe.concurrent('a connection that never answers is given up by the clients that are made here', () => {
  const message = { body: '1', attributes: {} }
  const { send, publish, hide } = awsMessenger({})
  const queue = 'arn:aws:sqs:eu-west-1:1:q'

  it.each([
    ['send', () => send(queue, [message])],
    ['publish', () => publish('arn:aws:sns:eu-west-1:1:t', [message])],
    ['hide', () => hide(queue, [{ receiptHandle: 'r', seconds: 1 }])],
  ])('%s', async (_, call) => {
    const [outcome] = await call()
    expect(outcome?.name).toBe('TimeoutError')
  })

  it('a result store of S3', async () => {
    const put = s3Objects({ bucket: 'results' }).put('key', '{}', undefined)
    await expect(put).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
