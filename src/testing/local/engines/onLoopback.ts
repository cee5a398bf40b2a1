import { AsyncLocalStorage } from 'node:async_hooks'
import { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { guardRequests } from './loopbackGuard.ts'

const starting = new AsyncLocalStorage<true>()
const { listen } = Server.prototype
let starts = 0

/**
 * fauxqs listens on all interfaces and has no option for it: the whole network, and each web page, could read and send messages.
 * Servers that other code opens meanwhile are left as they are.
 */
export async function onLoopback<T>(start: () => Promise<T>): Promise<T> {
  starts += 1
  Server.prototype.listen = listenLocally
  try {
    return await starting.run(true, start)
  } finally {
    starts -= 1
    if (starts === 0) Server.prototype.listen = listen
  }
}

function listenLocally(this: Server, ...args: readonly unknown[]): Server {
  const [options, ...others] = args
  const isOurs = starting.getStore() === true && typeof options === 'object'
  if (isOurs && this instanceof HttpServer) guardRequests(this as HttpServer)
  const given = isOurs ? [{ ...options, host: '127.0.0.1' }, ...others] : args
  return Reflect.apply(listen, this, given) as Server
}
