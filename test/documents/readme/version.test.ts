import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { documents, ROOT } from './documents.ts'

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

it('what is said of Powertools is said of the version that runs beside Lineclear', async () => {
  const files = documents.map(({ path }) => path).filter((path) => path !== 'CHANGELOG.md')
  files.push(...globSync('examples/{migrating,wild}/*.ts', { cwd: ROOT }))
  const texts = await Promise.all(files.map(textOf))
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => /Powertools/.test(line))
  const versions = lines.flatMap((line) => line.match(/\b\d+\.\d+\.\d+\b/g) ?? [])
  expect(versions.length).toBeGreaterThan(4)
  const { devDependencies } = manifest
  expect(new Set(versions)).toEqual(
    new Set([devDependencies['@aws-lambda-powertools/idempotency']]),
  )
  expect(devDependencies['@aws-lambda-powertools/batch']).toBe(versions[0])
})
