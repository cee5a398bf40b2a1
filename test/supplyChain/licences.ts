/** Ask for their text to be passed on, and for nothing else. */
export const SHIPPED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
])

/** Tools, which nobody gets with the package. */
export const FOR_TOOLS: ReadonlySet<string> = new Set([
  ...SHIPPED,
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
])

/**
 * Whether an expression of SPDX leaves a choice among the allowed ones: one of those between `OR`, all of those between `AND`. What
 * is no expression, or has exceptions, is not allowed.
 */
export function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const inner = /^\(([^()]*)\)$/.exec(expression.trim())?.[1] ?? expression
  return inner
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence.trim())))
}
