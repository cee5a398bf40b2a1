import { type LoadFnOutput, registerHooks } from 'node:module'
import { relative } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../sensitivity/protection.ts'
import type { Planted } from './planted.ts'
import { switchOff } from '../sensitivity/switchOff.ts'

/** Plants the fault of LINECLEAR_PLANTED while its file is loaded: `--import` this first. */
const planted = JSON.parse(env['LINECLEAR_PLANTED'] ?? '') as Planted
let isPlanted = false

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith('file:') || relative(ROOT, fileURLToPath(url)) !== planted.file)
      return loaded
    isPlanted = true
    return { ...loaded, source: change(textOf(loaded.source), planted) }
  },
})

process.once('exit', () => {
  // A file that is not loaded would plant nothing.
  if (!isPlanted) throw new Error(`${planted.file} was not loaded`)
})

function change(code: string, { protects, replace }: Planted): string {
  if (protects !== undefined) return switchOff(code, protects)
  const [before = '', ...after] = replace === undefined ? [] : code.split(replace[0])
  if (replace === undefined || after.length !== 1)
    throw new Error(`${planted.fault}: not found once`)
  return before + replace[1] + after.join('')
}

function textOf(source: LoadFnOutput['source']): string {
  if (source === undefined || source === null) throw new Error(`${planted.file} has no source`)
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}
