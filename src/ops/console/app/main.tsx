import { render } from 'preact'
import { loadSession } from './session.ts'
import { keepFocus } from './shell/keepFocus.ts'
import { Shell } from './shell/Shell.tsx'
import { loadTheme } from './theme.ts'
import { takeToken } from './token.ts'

takeToken()
loadTheme()
keepFocus()
void loadSession()
const root = document.querySelector('#app')
if (root !== null) render(<Shell />, root)
