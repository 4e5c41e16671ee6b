import type { Catalogue } from '#foundation/web/client/texts.ts'

/* Settings of a test beside its first ones. */

const en = {
  show_right_answers:
    'Show the correct answers when no attempt is left, the test is closed or everything is correct',
}
type SettingText = keyof typeof en

const de: Catalogue<SettingText>['de'] = {
  show_right_answers:
    'Die richtigen Antworten zeigen, wenn kein Versuch mehr bleibt, der Test geschlossen oder alles richtig ist',
}

const es: Catalogue<SettingText>['es'] = {
  show_right_answers:
    'Mostrar las respuestas correctas cuando no queden intentos, la prueba esté cerrada o todo sea correcto',
}

export const SETTING_TEXTS: Catalogue<SettingText> = { en, de, es }
