import { CHANGES } from './changes.ts'
import { CONDITIONS } from './conditions.ts'
import { GROUPS } from './groups.ts'
import { PAGES } from './pages.ts'
import type { Rule } from './rule.ts'
import { TABLES } from './tables.ts'
import { VALUES } from './values.ts'

const PARTS = {
  change: CHANGES,
  value: VALUES,
  condition: CONDITIONS,
  page: PAGES,
  group: GROUPS,
  table: TABLES,
}

/** Each with the part of DynamoDB that it is about before its name. */
export const RULES: readonly Rule[] = Object.entries(PARTS).flatMap(([part, rules]) =>
  rules.map((rule) => ({ ...rule, rule: `${part}: ${rule.rule}` })),
)
