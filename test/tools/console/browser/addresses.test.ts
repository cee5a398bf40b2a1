import { afterEach, expect, it, vi } from 'vitest'
import { paths } from './addresses.ts'

afterEach(() => vi.unstubAllGlobals())

it('the paths that browser tests look at are those of the pages', async () => {
  // What the modules of the app read when they are loaded.
  const storage = { getItem: () => null }
  vi.stubGlobal('sessionStorage', storage)
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('location', new URL('http://localhost/'))
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('addEventListener', () => {})
  // The clock of the page would run on in the tests that follow.
  vi.stubGlobal('setInterval', () => {})
  const { PAGES } = await import('../../../../src/tools/console/app/pages.ts')
  const isDev = ({ listed }: (typeof PAGES)[number]): boolean => listed === 'dev'
  expect(paths()).toEqual(PAGES.filter((page) => !isDev(page)).map(({ path }) => path))
  expect(paths('dev')).toEqual(PAGES.filter(isDev).map(({ path }) => path))
})
