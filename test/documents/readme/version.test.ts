import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const textOf = (file: string): Promise<string> =>
  readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')

it('the version of the package is the newest of CHANGELOG, and the status of README', async () => {
  const manifest: unknown = JSON.parse(await textOf('package.json'))
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(await textOf('CHANGELOG.md')) ?? []
  const [, status] = /^.*Status: (\d+\.\d+\.\d+)/m.exec(await textOf('README.md')) ?? []
  const lock: unknown = JSON.parse(await textOf('package-lock.json'))
  expect(manifest).toMatchObject({ version: newest })
  expect(lock).toMatchObject({ version: newest, packages: { '': { version: newest } } })
  expect(status).toBe(newest)
})
