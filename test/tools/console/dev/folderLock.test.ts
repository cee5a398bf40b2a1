import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import {
  askHolder,
  lockFolder,
  portsOf,
  openLocalFiles,
} from '../../../../src/tools/console/dev/localFiles.ts'

const parent = mkdtempSync(join(tmpdir(), 'lineclear-lock-'))
afterAll(() => rmSync(parent, { recursive: true }))

const newFolder = (): string => mkdtempSync(join(parent, 'folder-'))
const echo = (path: string) => (path === '/unknown' ? undefined : `got ${path}`)

it('of programs that start at once in a folder, one gets it, and another folder is free', async () => {
  const folder = newFolder()
  const locks = await Promise.all([1, 2, 3].map(() => lockFolder(folder, echo)))
  expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1)
  const other = await lockFolder(newFolder(), echo)
  expect(other).toBeDefined()
  for (const release of [...locks, other]) release?.()
})

it('a folder that was released can be locked again', async () => {
  const folder = newFolder()
  for (const _time of [1, 2]) {
    const release = await lockFolder(folder, echo)
    expect(release).toBeDefined()
    release?.()
  }
})

it('its holder answers what it knows, and nobody answers for an empty folder', async () => {
  const folder = newFolder()
  expect(await askHolder(folder, '/bank')).toBeUndefined()
  const release = await lockFolder(folder, echo)
  expect(await askHolder(folder, '/bank')).toBe('got /bank')
  expect(await askHolder(folder, '/unknown')).toBeUndefined()
  release?.()
})

it('another program on its port is not taken for a holder', async () => {
  const folder = newFolder()
  const [port] = portsOf(folder)
  const stranger = createServer((_request, response) => response.end('hello'))
  await once(stranger.listen(port, '127.0.0.1'), 'listening')
  const release = await lockFolder(folder, echo)
  expect(release).toBeDefined()
  expect(await lockFolder(folder, echo)).toBeUndefined()
  expect(await askHolder(folder, '/bank')).toBe('got /bank')
  release?.()
  stranger.close()
})

it('a second cloud in a folder is refused, and the files of the first stay', async () => {
  const folder = newFolder()
  const endpoints = { sqs: 'http://q', dynamodb: 'http://d', s3: 'http://s' }
  const first = await openLocalFiles(folder)
  await expect(openLocalFiles(folder)).rejects.toThrow('is up in this folder: end it first')
  first.tell({ ...endpoints, table: 'lineclear', lambda: 'http://l' })
  const url = 'http://127.0.0.1:1/#token=t'
  first.tell({ url })
  await expect(openLocalFiles(folder)).rejects.toThrow(
    `is up in this folder (process ${process.pid}, ${url}): end it first`,
  )
  const file = join(folder, '.lineclear/local.json')
  const { region, sqs } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  expect({ region, sqs }).toEqual({ region: 'us-east-1', sqs: 'http://q' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  first.remove()
  expect(existsSync(join(folder, '.lineclear'))).toBe(false)
  const next = await openLocalFiles(folder)
  next.remove()
})
