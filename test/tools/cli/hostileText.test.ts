import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalCloud } from 'lineclear/local'
import { adviseDeadRun } from '../../../src/tools/operator/explain/adviseFlow.ts'
import { adviseToken } from '../../../src/tools/operator/explain/adviseToken.ts'
import { adviceLines } from '../../../src/tools/operator/item/advise.ts'
import { oneLine, visibleJson } from '../../../src/tools/cli/table.ts'
import type { Token } from '../../../src/library/protocol/claim/token/token.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

const PARKED: Token = {
  pk: 'lock#orders/r1',
  attempt: 1,
  attemptId: 'a',
  fence: 1,
  leaseUntil: 0,
  notBefore: 0,
  resendNumber: 0,
  confirmed: 0,
  status: 'unknown',
  death: 1,
  payloadHash: undefined,
  steps: new Map(),
} as unknown as Token

/** The words that a shell makes of the command. */
function wordsOf(command: string): readonly string[] {
  const { stdout } = spawnSync('sh', [
    '-c',
    `for word in ${command}; do printf '%s\\0' "$word"; done`,
  ])
  return stdout.toString().split('\0').slice(0, -1)
}

function forDead(id: string, request: string): readonly string[] {
  const item = { pk: '', sk: '', statusShard: 'dead#1', 'stage:pay': 'dead 1 exhausted' }
  return adviceLines(adviseDeadRun(item, { id, request, homeQueue: undefined, now: 0 }))
}

describe('a command that is printed', () => {
  const HOSTILE = [
    'orders/r1; touch /tmp/owned',
    'orders/$(touch owned)',
    'orders/`id`',
    "orders/it's",
    'orders/a b',
    'orders/*',
    'orders/a\\',
  ]
  it.each(HOSTILE)('keeps the id %j one word', (id) => {
    const lines = forDead(id, id)
    const [, redrive = '', forget = ''] = lines.map((line) =>
      line.slice(line.indexOf('lineclear ')),
    )
    expect(wordsOf(redrive)).toEqual(['lineclear', 'dlq', 'redrive', '--all', '--id', id])
    expect(wordsOf(forget)).toEqual(['lineclear', 'decide', id, 'drop', '--request', id])
  })

  it('takes an id that looks like an option for an id', () => {
    const [, redrive = '', forget = ''] = forDead('trip/t1', '--force')
    expect(redrive).toContain('--id=--force')
    expect(forget).toContain('decide trip/t1 drop --request=--force')
  })

  it('quotes the name of a call', () => {
    const token = { ...PARKED, calls: new Map([['pay; rm x', 'start']]) }
    const about = { id: 'orders/r1', now: 1, homeQueue: undefined }
    const text = adviceLines(adviseToken(token, about)).join('\n')
    expect(text).toContain("decide orders/r1 again --made 'pay; rm x=JSON'")
  })
})

describe('characters that are not seen', () => {
  it.each([
    ['\u202Egnp.exe', '<U+202E>gnp.exe'],
    ['a\u2066b\u2069', 'a<U+2066>b<U+2069>'],
    ['\u009b2J', '<U+009B>2J'],
    ['a\u200Bb', 'a<U+200B>b'],
    ['a\u2028b', 'a<U+2028>b'],
    ['\u001b[31m', '<U+001B>[31m'],
    ['two\nlines\tand', 'two lines and'],
    ['\ud800', '<U+D800>'],
  ])('%j is shown as %s', (text, shown) => {
    expect(oneLine(text)).toBe(shown)
  })

  it('stand as escapes in JSON, which reads as before', () => {
    const value = { id: 'a\u202Eb\u009bc\u007f\u{E0001}', list: ['é', '😀'] }
    const json = visibleJson(JSON.stringify(value, null, 2))
    expect(JSON.parse(json)).toEqual(value)
    expect(json).toContain('a\\u202Eb\\u009Bc\\u007F')
    expect(json).not.toMatch(/[\u007f-\u009f\u202e]/)
    expect(json).toContain('😀')
  })
})

describe('an id that a stranger has sent, and that is not found', () => {
  let cloud: LocalCloud
  beforeAll(async () => {
    cloud = await startCloud()
  })
  afterAll(() => cloud.stop())

  const ID = 'a\u001b[2Jb\u202Ec\nd'
  it.each([
    [['explain', `orders/${ID}`]],
    [['explain', ID, '--scan']],
    [['explain', '--name', ID, '--key', ID]],
    [['explain', '--items', `orders/${ID}`]],
    [['explain', '--items', '--name', 'orders', '--key', ID]],
    [['dlq', 'restore', ID]],
    [['dlq', 'plan', ID]],
    [['decide', `orders/${ID}`, 'done']],
    [['explain', '--history', ID]],
  ])('does not reach the terminal as it is: %j', async (args) => {
    const { cli } = await operatorHarness(cloud)
    const { out, err } = await cli(...args)
    // The lines of a command are joined by newlines: one of the id would begin its own.
    expect(`${out}\n${err}`).not.toMatch(/[^\P{Cc}\n]|\u202e|^d(?!lq|ecide done )/mu)
  })
})
