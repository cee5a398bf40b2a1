import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { messageOf, toError } from '../../src/library/base/errors.ts'
import { shortStack, stackOf } from '../../src/library/base/stack.ts'

const FRAME = /^at .+:\d+:\d+\)?$/

function thrownBy(work: () => never): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

/** An error with a stack as V8 writes it. */
function errorWith(frames: readonly string[], message = 'no', options?: ErrorOptions): Error {
  const error = new Error(message, options)
  error.stack = [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return error
}

describe('the stack of an error', () => {
  it('is its frames, without its message', () => {
    const stack = stackOf(new Error('a secret\nof two lines'))
    expect(stack).toContain('stack.test.ts')
    expect(stack.split('\n').every((line) => FRAME.test(line))).toBe(true)
  })

  it('goes on with its causes, and with theirs', () => {
    const refused = errorWith(['connect (node:net:1:2)'], 'refused')
    const failed = new TypeError('fetch\nfailed', { cause: refused })
    failed.stack = 'TypeError: fetch\nfailed\n    at fetch (/var/task/http.mjs:3:4)'
    const error = errorWith(['charge (/var/task/index.mjs:1:2)'], 'no', { cause: failed })
    expect(stackOf(error).split('\n')).toEqual([
      'at charge (/var/task/index.mjs:1:2)',
      'caused by TypeError: fetch failed',
      'at fetch (/var/task/http.mjs:3:4)',
      'caused by Error: refused',
      'at connect (node:net:1:2)',
    ])
  })

  it('names the first parts of an AggregateError', () => {
    const parts = Array.from({ length: 10_000 }, (_, at) => errorWith([], `part ${at}`))
    expect(stackOf(new AggregateError(parts)).match(/^caused by .*$/gm)).toEqual([
      'caused by Error: part 0',
      'caused by Error: part 1',
      'caused by Error: part 2',
    ])
  })

  it('does not quote what JSON.parse could not read', () => {
    const cause = thrownBy(() => JSON.parse('{"card": 4111') as never)
    const stack = stackOf(errorWith([], 'the answer is no JSON', { cause }))
    expect(stack).toMatch(/^caused by SyntaxError$/m)
    expect(stack).not.toContain('4111')
  })

  it.each([
    ['a text', 'no'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { stack: '    at a (/b:1:1)' }],
    ['an error without a stack', Object.assign(new Error('no'), { stack: undefined })],
    ['an error whose stack is no text', Object.assign(new Error('no'), { stack: 7 })],
    ['an error whose stack throws', throwing('stack')],
  ])('is empty for %s', (_what, thrown) => {
    expect(stackOf(thrown)).toBe('')
  })

  it('is empty for a proxy that has been revoked', () => {
    expect(stackOf(revoked())).toBe('')
  })

  it('ends where causes form a circle, or a getter throws', () => {
    const one = errorWith(['a (/a.mjs:1:1)'], 'one')
    one.cause = errorWith([], 'two', { cause: one })
    expect(stackOf(one)).toBe('at a (/a.mjs:1:1)\ncaused by Error: two')
    const hostile = errorWith(['b (/b.mjs:1:1)'], 'b', { cause: throwing('message') })
    expect(stackOf(hostile)).toMatch(/^at b .*\ncaused by a thrown object that cannot be read/)
  })

  it('is bounded, however long and deep its parts are', () => {
    let error = errorWith([])
    for (let depth = 0; depth < 1_000; depth += 1) {
      const frames = Array.from({ length: 500 }, () => `${'f'.repeat(100)} (/a.mjs:1:1)`)
      error = errorWith(frames, '\u{1F600}'.repeat(100_000), { cause: error })
    }
    const stack = stackOf(error)
    expect(stack.length).toBeLessThanOrEqual(4_000)
    expect(stack.isWellFormed()).toBe(true)
    expect(shortStack(stack).length).toBeLessThanOrEqual(600)
    expect(stackOf(errorWith([], ' at :1'.repeat(1_000_000)))).toBe('')
  })
})

describe('the short form', () => {
  it('keeps two frames outside packages and Node.js, and each cause', () => {
    const cause = errorWith(['connect (node:net:1:2)', 'inner (/var/task/c.mjs:1:1)'], 'refused')
    const error = errorWith(
      [
        'send (/var/runtime/node_modules/@aws-sdk/client.js:1:1)',
        'charge (/var/task/a.mjs:1:1)',
        'async work (file:///var/task/b.mjs:1:1)',
        'async handler (/var/task/index.mjs:1:1)',
      ],
      'no',
      { cause },
    )
    expect(shortStack(stackOf(error)).split('\n')).toEqual([
      'at charge (/var/task/a.mjs:1:1)',
      'at async work (file:///var/task/b.mjs:1:1)',
      'caused by Error: refused',
    ])
  })
})

describe('the text of what was thrown', () => {
  it('is there also if it cannot be read', () => {
    for (const thrown of [throwing('name'), throwing('message'), revoked()])
      expect(messageOf(thrown)).toBe('a thrown object that cannot be read')
  })

  it('is that of an error of another realm, such as Node.js throws in a test of jest', () => {
    const thrown: unknown = runInNewContext('new TypeError("no")')
    expect(thrown).not.toBeInstanceOf(Error)
    expect(messageOf(thrown)).toBe('TypeError: no')
    expect(toError(thrown)).toBe(thrown)
    expect(stackOf(thrown)).toMatch(/^at evalmachine/)
  })

  it('never quotes what could not be parsed, in whatever realm', () => {
    const cause: unknown = runInNewContext(`
      try { JSON.parse('{secret') } catch (error) { error }`)
    expect(stackOf(new Error('no', { cause }))).not.toMatch('secret')
  })
})

function throwing(name: string): Error {
  return Object.defineProperty(new Error('no'), name, {
    get() {
      throw new Error('hostile')
    },
  })
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
