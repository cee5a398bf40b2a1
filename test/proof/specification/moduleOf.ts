import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Check } from './checks.ts'
import { parseModule } from './tla/parse.ts'
import type { Module } from './tla/syntax.ts'

export function textOfModule(name: Check['module']): string {
  return readFileSync(resolve(import.meta.dirname, `${name}.tla`), 'utf8')
}

export function treeOf(name: Check['module']): Module {
  return parseModule(textOfModule(name))
}
