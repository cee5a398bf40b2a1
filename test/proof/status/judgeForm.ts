import type { Facts } from './facts.ts'
import type { Seen } from './look.ts'

/** Text, JSON, console and exit code say the same. */
export function judgeForm({ world }: Facts, seen: Seen): readonly string[] {
  const { text, json, code, codeOfJson, held } = seen
  const wrong: string[] = []
  const faults = json.findings.filter(({ severity }) => severity !== 'note')
  const isFine = faults.length === 0 && json.unread.length === 0
  if (code !== (isFine ? 0 : 1) || codeOfJson !== code)
    wrong.push(`ends with ${code}, ${codeOfJson}`)
  const heads = text.filter((line) => /^[✖!·] (?!No problem)/.test(line))
  if (heads.length !== json.findings.length)
    wrong.push('text and JSON have other numbers of findings')
  for (const [at, { kind, number, atLeast, of, what, sample }] of json.findings.entries()) {
    const line = heads[at] ?? ''
    const count = `${kind}  ${number}${atLeast ? ' or more' : ''} of ${of}  `
    if (!line.includes(count)) wrong.push(`text and JSON differ: ${count}`)
    if (!line.endsWith(what)) wrong.push(`text and JSON differ: ${what}`)
    if (sample !== undefined && !line.includes(`${group(sample.read)} of ${group(sample.of)} read`))
      wrong.push(`does not say of how many ${of} was read`)
  }
  const unread = text.filter((line) => line.startsWith('not read: '))
  if (unread.join('\n') !== json.unread.map((each) => `not read: ${each}`).join('\n'))
    wrong.push('text and JSON have other sources that were not read')
  const verdict = text.filter((line) => /No problem|^\? Not known/.test(line))
  const said = isFine ? '✔ No problem found' : '? Not known whether anything is wrong'
  if (
    verdict.length !== (faults.length === 0 ? 1 : 0) ||
    verdict.some((line) => !line.startsWith(said))
  )
    wrong.push(`says ${verdict.join()}`)
  if (held.length > 0) wrong.push(`holds letters of ${held.join()}`)
  wrong.push(...searched(world.sweeper, seen), ...console(seen))
  return wrong
}

function group(number: number): string {
  return number.toLocaleString('en')
}

function searched(sweeper: Facts['world']['sweeper'], { text, json }: Seen): readonly string[] {
  const last = text.at(-1) ?? ''
  if (json.unread.some((each) => each.includes('search for what was lost')))
    return last.endsWith('was not read.') && !('searched' in json)
      ? []
      : [`says of the search: ${last}`]
  const isAbsent = sweeper === 'absent'
  const isSaid = isAbsent ? /not searched yet/.test(last) : /searched .* ago, 50 items/.test(last)
  return isSaid && (json.searched === null) === isAbsent ? [] : [`says of the search: ${last}`]
}

function console({ json, console: overview }: Seen): readonly string[] {
  const { findings, unread } = json
  const has = (which: string): boolean => findings.some(({ severity }) => severity === which)
  const tone = has('bad') ? 'bad' : has('warn') || unread.length > 0 ? 'warn' : 'good'
  const said = overview?.headline ?? ''
  const numbers = said.match(/[\d,]*\d/g)?.map((each) => Number(each.replaceAll(',', ''))) ?? []
  const sum = numbers.reduce((all, each) => all + each, 0)
  const faults = findings.filter(({ severity }) => severity !== 'note')
  const counted = faults.reduce((all, { number }) => all + number, 0)
  const wrong: string[] = []
  if (overview?.tone !== tone) wrong.push(`the console is ${overview?.tone}, not ${tone}`)
  if (sum !== counted) wrong.push(`the console counts ${sum}, and there are ${counted}: ${said}`)
  const late = faults.filter(({ kind }) => kind === 'overdue' || kind === 'stalled')
  const lateSaid = Number(
    /([\d,]+)(?: or more)? overdue or stalled/.exec(said)?.[1]?.replaceAll(',', '') ?? 0,
  )
  if (lateSaid !== late.reduce((all, { number }) => all + number, 0))
    wrong.push(`the console takes for overdue what is not: ${said}`)
  if (faults.length === 0 && !said.startsWith('Nothing waits'))
    wrong.push(`the console says ${said}`)
  if (faults.length === 0 && unread.length > 0 && !said.includes('in what could be read'))
    wrong.push(`the console says ${said}, though something was not read`)
  if (faults.some(({ atLeast }) => atLeast) && !said.includes('or more'))
    wrong.push('the console leaves out that there may be more')
  return wrong
}
