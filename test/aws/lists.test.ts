import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { accountIn, refusalOf } from './account.ts'
import { type Check, toLine } from './checks/check.ts'
import { CHECKS } from './checks/list.ts'
import { COURSES, NOT_DRIVEN } from './courses/list.ts'
import type { Place } from './places/place.ts'
import { readService } from './places/service.ts'
import { openStage } from './stage.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('each assumption has a name of its own, and a room that relies on it', () => {
  const names = CHECKS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(CHECKS.filter(({ reliesOn }) => !existsSync(resolve(ROOT, reliesOn)))).toEqual([])
})

it('says of an assumption what was seen, what relies on it, and what engines of ours do', () => {
  const check: Check = {
    name: 'a delay',
    expected: 'refused',
    source: 'https://page',
    reliesOn: 'src/room',
    otherwise: { local: ['accepted', 'it is harmless'] },
    run: () => Promise.resolve(''),
  }
  const same = { check, seen: 'refused' }
  const other = { check, seen: 'accepted' }
  expect(toLine('aws', same)).toBe(
    'same       a delay: refused\n           local: accepted: it is harmless',
  )
  expect(toLine('aws', other)).toMatch(
    /^OTHERWISE  a delay: accepted; expected: refused\n +src\/room, https:\/\/page\n +local:/,
  )
  expect(toLine('local', other)).toMatch(/^known {6}a delay: accepted; expected: refused\n +local:/)
  expect(toLine('local', same)).toMatch(/^OTHERWISE/)
  expect(toLine('ministack', { check, seen: undefined, failed: 'no answer' })).toMatch(
    /^OTHERWISE {2}a delay: not seen: no answer/,
  )
})

it('each function of serverless.yml is driven, or it is said why not', async () => {
  const { functions } = await readService()
  const place = { resources: new Map(), clients: {} } as unknown as Place
  const stage = openStage(place, { withinMs: 0, prefix: '', check() {}, sent() {} })
  const driven = COURSES.flatMap((open) => open(stage).functions)
  const named = new Set([...driven, ...Object.keys(NOT_DRIVEN)])
  expect([...named].toSorted()).toEqual(functions.map(({ name }) => name).toSorted())
  expect(driven.filter((name) => name in NOT_DRIVEN)).toEqual([])
})

it.each([
  ['a stage', { stage: 'My Stage' }, '--stage: expected run, and up to 12 of a-z 0-9'],
  [
    'a stage in use',
    { stage: 'prod', remove: true },
    '--stage: expected run, and up to 12 of a-z 0-9',
  ],
  ['a Region', { region: '' }, '--region: expected a Region, or AWS_REGION'],
  ['a limit', { limit: Number.NaN }, '--limit: expected US dollars, such as 5'],
  ['credentials', {}, 'no credentials: Error: none on this machine'],
])('refuses to run without %s', async (_, wrong, said) => {
  const { region = 'eu-central-1', ...others } = { stage: 'run', limit: 5, ...wrong } as {
    readonly region?: string
    readonly stage: string
    readonly limit: number
  }
  const credentials = (): Promise<never> => Promise.reject(new Error('none on this machine'))
  const account = { region, credentials }
  expect(await refusalOf({ account, remove: false, ...others })).toBe(said)
})

it('asks for the Region before it makes a client', async () => {
  const wanted = { account: accountIn(''), stage: 'run', limit: 5, remove: false }
  expect(await refusalOf(wanted)).toBe('--region: expected a Region, or AWS_REGION')
})
