import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

interface Locked {
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** npm refuses to install any other on the machines that it is not for. */
it('a package that is bound to a platform is optional', () => {
  const lock = readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> }
  const bound = Object.entries(packages).filter(([, { os, cpu }]) => os ?? cpu)
  expect(bound.filter(([, { optional }]) => !optional)).toEqual([])
  const native = bound.filter(([path]) => path.startsWith('node_modules/@dynoxide/'))
  expect(native).toHaveLength(1)
})
