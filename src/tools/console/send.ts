import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../library/base/clock.ts'
import { type Reply, replyAt, RequestError } from './reply.ts'

export function sendReply(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}

const TYPES = new Map([
  ['js', 'text/javascript'],
  ['css', 'text/css'],
  ['txt', 'text/plain'],
  ['html', 'text/html'],
])

/** A file of the page, else the page itself: it knows what a path shows. */
export function sendAsset(response: ServerResponse, path: string, assets: Assets): void {
  const asked = path.slice(1)
  const name = assets.has(asked) ? asked : 'index.html'
  const type = TYPES.get(name.split('.').at(-1) ?? '') ?? 'application/octet-stream'
  response.writeHead(200, { ...HEADERS, 'content-type': `${type}; charset=utf-8` })
  response.end(assets.get(name))
}

/** The words of unexpected errors may have paths of this machine, and payloads: they stay here. */
export function sendError(response: ServerResponse, error: unknown, clock: Clock): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const known = error instanceof RequestError
  // The rest of a body that was refused must not be read as the next request.
  response.setHeader('connection', 'close')
  if (known && error.allow !== undefined) response.setHeader('allow', error.allow)
  const [status, kind, message] = known
    ? [error.status, 'refused', error.message]
    : [500, 'failed', 'the server has failed']
  sendReply(response, replyAt(clock, { error: { kind, message, help: [] } }, status))
}

/** On every answer of ours, errors included; what is no HTTP gets Node's own. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

export type Assets = ReadonlyMap<string, string>

/** The page in the package: one file, compressed to a third. It does not exist in the source tree. */
const PACKED = new URL('page.json.br', import.meta.url)

/** From the package, or bundled from source, which needs esbuild. */
export async function loadAssets(): Promise<Assets> {
  try {
    const text = brotliDecompressSync(await readFile(PACKED)).toString()
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const { bundle } = await import('./bundle.ts')
    return bundle()
  }
}
