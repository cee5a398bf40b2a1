import { expect, it } from 'vitest'
import { newerThan } from './newer.ts'

it('a package with another latest version than the proven one is named', async () => {
  const proven = new Map([
    ['same', '1.2.3'],
    ['newer', '1.2.3'],
  ])
  const latest = async (name: string): Promise<string> => (name === 'same' ? '1.2.3' : '1.10.0')
  expect(await newerThan(proven, latest)).toEqual([
    'test/README.md: newer 1.2.3 is compared, npm has 1.10.0',
  ])
})

it('what npm does not tell is no version', async () => {
  const nobody = (): Promise<string> => Promise.reject(new Error('no network'))
  await expect(newerThan(new Map([['any', '1.2.3']]), nobody)).rejects.toThrow('no network')
})
