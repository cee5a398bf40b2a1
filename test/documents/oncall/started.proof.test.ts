import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inTurn } from '../../proof/depth.ts'
import { INCIDENTS } from './incidents.ts'

const WORLD = join(import.meta.dirname, 'world.ts')
const UP = 'It ends with Ctrl-C.'

it('there are 21, each with a report of its own', () => {
  expect(INCIDENTS).toHaveLength(21)
  expect(new Set(INCIDENTS.map(({ source }) => source)).size).toBe(21)
})

it('a world prints its question and how to look, and ends with Ctrl-C', async () => {
  for (const [at, { question, cause }] of inTurn([...INCIDENTS.entries()], 3)) {
    const world = spawn(process.execPath, ['--conditions=lineclear:source', WORLD, String(at + 1)])
    const ended = once(world, 'close')
    let printed = ''
    await new Promise<void>((up, fail) => {
      const take = (chunk: Buffer): void => {
        printed += String(chunk)
        if (printed.includes(UP)) up()
      }
      world.stdout.on('data', take)
      world.stderr.on('data', take)
      void ended.then(() => fail(new Error(`world ${at + 1} ended: ${printed}`)))
    })
    expect(printed).toContain(question)
    expect(printed).toMatch(/^export AWS_ENDPOINT_URL_LAMBDA=http/m)
    // What is not printed by every world says nothing about this one.
    const own = printed.replace(question, '')
    expect([question, cause.filter((word) => word.test(own))]).toEqual([question, []])
    world.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  }
})

it('a number that no world has is refused', async () => {
  for (const number of ['0', '22', 'one', '']) {
    const world = spawn(process.execPath, ['--conditions=lineclear:source', WORLD, number])
    expect(await once(world, 'close')).toEqual([2, null])
  }
})
