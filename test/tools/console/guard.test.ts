import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEADERS } from '../../../src/tools/console/send.ts'
import { RequestError } from '../../../src/tools/console/reply.ts'
import { jsonOf, nothingFound, posted, type Served, served } from './served.ts'

const SECRET = '/home/ann/secret-path'
let server: Served
beforeAll(async () => {
  server = await served({
    again: async (args, signal) => {
      if (args.includes('--history')) throw new Error(`${SECRET} was not read`)
      return nothingFound(args, signal)
    },
    own: {
      post: {
        echo: async (body) => ({ body }),
        refuse: async () => {
          throw new RequestError(422, 'no')
        },
      },
    },
  })
})
afterAll(async () => server.stop())

const ORIGIN = (port: number): string => `http://127.0.0.1:${port}`

describe('the Host decides first', () => {
  it.each(['localhost', '127.0.0.1', '[::1]'])('%s with the port is answered', async (name) => {
    const headers = { host: `${name}:${server.port}` }
    expect((await server.ask('/', { headers })).status).toBe(200)
    expect((await server.ask('/api/session', { headers })).status).toBe(200)
  })

  it.each([
    ['of another site, which DNS has bound to this machine', 'attacker.example'],
    ['that ends like ours', 'localhost.attacker.example'],
    ['without a port', '127.0.0.1'],
    ['with another port', '127.0.0.1:1'],
    ['of another loopback address', '127.0.0.2:PORT'],
    ['0.0.0.0', '0.0.0.0:PORT'],
    ['with a name before it', 'x@127.0.0.1:PORT'],
    ['with a dot at its end', 'localhost.:PORT'],
    ['in capitals', 'LOCALHOST:PORT'],
    ['in other digits', '2130706433:PORT'],
  ])('%s is refused, also for the page', async (_, host) => {
    const headers = { host: host.replace('PORT', String(server.port)) }
    for (const path of ['/', '/app.js', '/api/session']) {
      expect((await server.ask(path, { headers })).status).toBe(421)
    }
  })

  it.each([
    ['two of them', 'host: 127.0.0.1:PORT\r\nhost: attacker.example\r\n'],
    ['two that are alike', 'host: 127.0.0.1:PORT\r\nhost: 127.0.0.1:PORT\r\n'],
    ['none', ''],
  ])('%s: refused', async (_, head) => {
    const hosts = head.replaceAll('PORT', String(server.port))
    const answer = await server.raw(`GET / HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 4(?:00|21) /)
  })

  it('an absolute target with another host is refused', async () => {
    const answer = await server.raw(
      `GET http://attacker.example/ HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('another site', () => {
  it.each(['cross-site', 'same-site', 'Cross-Site', 'nonsense', ''])(
    'is known by Sec-Fetch-Site %j, also with the token',
    async (site) => {
      const headers = { 'sec-fetch-site': site }
      for (const path of ['/', '/api/session']) {
        expect((await server.ask(path, { headers })).status).toBe(403)
      }
    },
  )

  it('may lead a tab to /open, as the file of --open does, and to nothing else', async () => {
    const tab = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const { status, text, headers } = await server.ask('/open', { headers: tab })
    expect({ status, frames: headers['x-frame-options'] }).toEqual({ status: 200, frames: 'DENY' })
    expect(text).not.toContain(server.token)
    for (const path of ['/', '/open/', '/api/session', '/app.js']) {
      expect((await server.ask(path, { headers: tab })).status).toBe(403)
    }
    for (const other of [
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'no-cors' },
      { origin: 'https://attacker.example' },
    ]) {
      expect((await server.ask('/open', { headers: { ...tab, ...other } })).status).toBe(403)
    }
    expect((await server.ask('/open', { method: 'POST', headers: tab })).status).toBe(403)
  })

  it.each(['none', 'same-origin'])('is not meant by Sec-Fetch-Site %j', async (site) => {
    const headers = { 'sec-fetch-site': site }
    expect((await server.ask('/api/session', { headers })).status).toBe(200)
  })

  it.each([
    'http://attacker.example',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1',
    'http://localhost:PORT',
    'null',
    'http://127.0.0.1:PORT.attacker.example',
  ])('is known by the Origin %j', async (origin) => {
    const headers = { origin: origin.replace('PORT', String(server.port)) }
    const options = { ...posted({}), headers: { ...posted({}).headers, ...headers } }
    expect((await server.ask('/api/echo', options)).status).toBe(403)
  })

  it('is not meant by its own Origin', async () => {
    const headers = { ...posted({}).headers, origin: ORIGIN(server.port) }
    expect((await server.ask('/api/echo', { ...posted({}), headers })).status).toBe(200)
  })

  it('gets no CORS header, and its preflight is refused', async () => {
    const headers = { origin: 'http://attacker.example', 'access-control-request-method': 'POST' }
    const answered = await server.ask('/api/echo', { method: 'OPTIONS', headers })
    expect(answered.status).toBe(403)
    const names = Object.keys(answered.headers)
    expect(
      names.filter((name) => name.startsWith('access-control') || name === 'set-cookie'),
    ).toEqual([])
  })
})

describe('the token', () => {
  it('has 256 bits, and is another one in each process', async () => {
    await using other = await served()
    expect(Buffer.from(server.token, 'base64url')).toHaveLength(32)
    expect(other.token).not.toBe(server.token)
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['wrong', 'x'.repeat(43)],
    ['cut', 'CUT'],
    ['with more behind it', 'LONGER'],
  ])('%s: 401, for routes that do not exist, too', async (_, given) => {
    const token = given
      ?.replace('CUT', server.token.slice(0, -1))
      .replace('LONGER', `${server.token}x`)
    const headers = { 'x-lineclear-token': token }
    for (const path of ['/api/session', '/api/nothing', '/api/events', '/api/']) {
      expect((await server.ask(path, { headers })).status).toBe(401)
    }
  })

  it('is taken from its header only: in a query or a cookie it is none', async () => {
    const headers = { 'x-lineclear-token': undefined, cookie: `x-lineclear-token=${server.token}` }
    const path = `/api/session?token=${server.token}&x-lineclear-token=${server.token}`
    expect((await server.ask(path, { headers })).status).toBe(401)
  })

  it('given twice is refused', async () => {
    const one = `x-lineclear-token: ${server.token}\r\n`
    const answer = await server.raw(
      `GET /api/session HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n${one}${one}connection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('a target', () => {
  it.each([
    '//attacker.example/',
    '//',
    '/a/..',
    '/%2e%2e',
    '/../etc/passwd',
    '/a/../../etc/passwd',
    '/.',
    '/a/..',
    '/%2e%2e',
    '/%2e%2e%2fetc/passwd',
    '/a%2Fb',
    '/a%5c..',
    '/a\\b',
    '/a%00',
    '/%',
    '/%zz',
    '/api/session%00',
    '/api//session',
    '/api/../api/session',
    '*',
  ])('%j is refused', async (path) => {
    const answer = await server.raw(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx-lineclear-token: ${server.token}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it.each([
    '/API/session',
    '/api/session/',
    '/api/constructor',
    '/api/__proto__',
    '/api/tasks.json',
  ])('%j is no route, and no page with what a route knows', async (path) => {
    const { status, text } = await server.ask(path)
    expect(status === 404 || text.startsWith('<!doctype html>')).toBe(true)
  })

  it.each(['/tasks', '/request/orders%20o-1', '/a/b/c?x=//..&y=%2e%2e%2f'])(
    '%j shows the page',
    async (path) => {
      const { status, headers, text } = await server.ask(path)
      expect({ status, type: headers['content-type'], page: text.slice(0, 15) }).toEqual({
        status: 200,
        type: 'text/html; charset=utf-8',
        page: '<!doctype html>',
      })
    },
  )
})

describe('a method', () => {
  it.each([
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/app.js', 'GET, HEAD'],
    ['POST', '/api/tasks', 'GET'],
    ['HEAD', '/api/tasks', 'GET'],
    ['PUT', '/api/plan', 'POST'],
    ['GET', '/api/plan', 'POST'],
    ['GET', '/api/apply', 'POST'],
    ['OPTIONS', '/api/apply', 'POST'],
  ])('%s of %s: 405, with those that are allowed', async (method, path, allow) => {
    const { status, headers } = await server.ask(path, { method })
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow })
  })

  it('HEAD of a page has its headers, and no body', async () => {
    const { status, text, headers } = await server.ask('/', { method: 'HEAD' })
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 200,
      text: '',
      type: 'text/html; charset=utf-8',
    })
  })

  it.each([
    ['CONNECT', 'CONNECT attacker.example:443 HTTP/1.1', ''],
    ['an upgrade', 'GET /api/events HTTP/1.1', 'connection: Upgrade\r\nupgrade: websocket\r\n'],
  ])('%s is cut off', async (_, line, more) => {
    const head = `host: 127.0.0.1:${server.port}\r\n${more}`
    expect(await server.raw(`${line}\r\n${head}\r\n`)).toBe('')
  })
})

describe('a body', () => {
  it.each([
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['of text, which another site may send unasked', { 'content-type': 'text/plain' }],
    ['of JSON in disguise', { 'content-type': 'text/plain; application/json' }],
    ['without a type', {}],
    ['that is packed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('%s: 415', async (_, headers) => {
    expect((await server.ask('/api/echo', { method: 'POST', headers, body: '{}' })).status).toBe(
      415,
    )
  })

  it.each([
    ['no JSON', '{"secret":'],
    ['a list', '[1]'],
    ['a text', '"secret"'],
    ['null', 'null'],
    ['nothing', ''],
    ['nested too deeply', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('%s: 400, and nothing of it is said', async (_, body) => {
    const answered = await server.ask('/api/echo', { ...posted({}), body })
    expect(answered.status).toBe(400)
    expect(answered.text).not.toContain('secret')
  })

  it('that is not UTF-8: 400', async () => {
    const head = `POST /api/echo HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx-lineclear-token: ${server.token}\r\n`
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${head}content-type: application/json\r\ncontent-length: 7\r\n\r\n`)
    socket.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 400 /)
    socket.destroy()
  })

  it('of 256 KB is taken, and a larger one is not', async () => {
    const fits = JSON.stringify({ a: 'x'.repeat(256 * 1_024 - 8) })
    expect((await server.ask('/api/echo', { ...posted({}), body: fits })).status).toBe(200)
    const answered = await server.ask('/api/echo', { ...posted({}), body: `${fits} ` })
    expect({ status: answered.status, connection: answered.headers.connection }).toEqual({
      status: 413,
      connection: 'close',
    })
  })

  it('in pieces, whose length nobody has said, is counted', async () => {
    const head = `POST /api/echo HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx-lineclear-token: ${server.token}\r\n`
    const piece = 'x'.repeat(200 * 1_024)
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
    const answer = await server.raw(
      `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${chunk}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('every answer', () => {
  const answers: readonly (readonly [string, () => Promise<Readonly<Record<string, unknown>>>])[] =
    [
      ['the page', async () => (await server.ask('/')).headers],
      ['a file', async () => (await server.ask('/app.js')).headers],
      ['a route', async () => (await server.ask('/api/session')).headers],
      ['421', async () => (await server.ask('/', { headers: { host: 'x' } })).headers],
      ['404', async () => (await server.ask('/api/nothing')).headers],
      ['405', async () => (await server.ask('/', { method: 'POST' })).headers],
      ['422', async () => (await server.ask('/api/refuse', posted({}))).headers],
      ['500', async () => (await server.ask('/api/request?history=1')).headers],
    ]
  it.each(answers)('has all headers: %s', async (_, headersOf) => {
    expect(await headersOf()).toMatchObject(HEADERS)
  })

  it('to a failure of the server says nothing of this machine', async () => {
    const answered = await server.ask('/api/request?history=1')
    expect(answered.status).toBe(500)
    expect(jsonOf(answered)).toMatchObject({ error: { message: 'the server has failed' } })
    expect(answered.text).not.toMatch(/secret-path|at .*\.ts|Error:/)
  })
})

describe('a client that takes its time', () => {
  const limits = { requestTime: 60, lookEvery: 20 }

  it('with the head, or with the body, is cut off', async () => {
    await using slow = await served({ limits, own: { post: { echo: async (body) => ({ body }) } } })
    const head = `host: 127.0.0.1:${slow.port}\r\nx-lineclear-token: ${slow.token}\r\n`
    expect(await slow.raw('GET / HTTP/1.1\r\nhost: ')).toMatch(/^HTTP\/1\.1 408 /)
    const started = `POST /api/echo HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 10\r\n\r\n{`
    expect(await slow.raw(started)).toMatch(/^HTTP\/1\.1 408 |^$/)
  })

  it('does not lock out the others: the connection that has waited longest is closed', async () => {
    await using slow = await served({ limits: { connections: 2 } })
    const open = [connect(slow.port, '127.0.0.1'), connect(slow.port, '127.0.0.1')]
    await Promise.all(open.map(async (socket) => once(socket, 'connect')))
    const [first] = open
    const closed = once(first as Socket, 'close')
    expect((await slow.ask('/')).status).toBe(200)
    await closed
    expect((await slow.ask('/')).status).toBe(200)
    for (const socket of open) socket.destroy()
  })
})
