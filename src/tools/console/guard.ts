import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { loopbackHost } from '../../testing/local/engines/loopbackGuard.ts'
import { RequestError } from './reply.ts'

interface Guarded {
  readonly port: number
  readonly token: string
}

interface Target {
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * Refuses what another site or another machine has sent: browsers send its own name as the Host (rebinding of DNS), its origin,
 * and no token.
 * @throws RequestError
 */
export function guard(request: IncomingMessage, { port, token }: Guarded): Target {
  const host = loopbackHost(request.headersDistinct, port)
  if (host === undefined) {
    throw new RequestError(421, `this server answers for localhost:${port} and its addresses only`)
  }
  const site = request.headers['sec-fetch-site'] ?? 'none'
  const target = targetOf(request.url ?? '')
  if (site !== 'same-origin' && site !== 'none' && !isOpened(request, target)) {
    throw new RequestError(403, 'another site has sent this request')
  }
  const { origin } = request.headers
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new RequestError(403, 'another origin has sent this request')
  }
  if (
    target.path.startsWith('/api/') &&
    !isToken(request.headersDistinct[TOKEN_HEADER] ?? [], token)
  ) {
    throw new RequestError(401, 'the token is missing or wrong: open the URL that was printed')
  }
  return target
}

/**
 * The file of `--open` leads a tab here. A file is another site to the browser, and so is any page that links here: it gets the page
 * without data into a tab of its own, which it can neither read nor frame.
 */
function isOpened({ method, headers }: IncomingMessage, { path }: Target): boolean {
  const isTab = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return method === 'GET' && path === '/open' && isTab
}

const TOKEN_HEADER = 'x-lineclear-token'

/** In constant time, whatever came: also two of them, of which Node keeps the first. */
function isToken(given: readonly string[], token: string): boolean {
  return given.length === 1 && timingSafeEqual(digestOf(given[0] ?? ''), digestOf(token))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** No path means a file, so nothing can be climbed; forms that two readers may read differently are refused all the same. */
const PATH = /^\/(?:[\w.~!$&'()*+,;=:@-]|%(?!00|2[eEfF]|5[cC])[0-9a-fA-F]{2}|(?<!\/)\/)*$/
const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/

function targetOf(url: string): Target {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  if (!PATH.test(path) || DOTS.test(path)) throw new RequestError(400, 'the path is malformed')
  return { path, query: new URLSearchParams(query) }
}
