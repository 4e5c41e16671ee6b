import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  title: 'Add from this channel’s questions',
  find: 'Search questions',
  hint: 'Questions from the other tests of this channel. They are copied: editing one leaves the other as it is.',
  add: 'Add selected',
  from: '{test}, {episode}',
  chosen: { one: '{count} selected', other: '{count} selected' },
  more: 'Show more',
  none: 'No other test in this channel has a matching question.',
  choose: 'Select at least one question',
}
type BankText = keyof typeof en

const de: Catalogue<BankText>['de'] = {
  title: 'Aus den Fragen dieses Kanals hinzufügen',
  find: 'Frage finden',
  hint: 'Fragen der anderen Tests dieses Kanals. Sie werden kopiert: Ändert sich die eine, bleibt die andere, wie sie ist.',
  add: 'Ausgewählte hinzufügen',
  from: '{test}, {episode}',
  chosen: { one: '{count} ausgewählt', other: '{count} ausgewählt' },
  more: 'Mehr zeigen',
  none: 'Kein anderer Test dieses Kanals hat eine solche Frage.',
  choose: 'Wählen Sie mindestens eine Frage',
}

const es: Catalogue<BankText>['es'] = {
  title: 'Añadir de las preguntas de este canal',
  find: 'Buscar una pregunta',
  hint: 'Preguntas de las otras pruebas de este canal. Se copian: al cambiar una, la otra queda como está.',
  add: 'Añadir las elegidas',
  from: '{test}, {episode}',
  chosen: { one: '{count} elegida', other: '{count} elegidas' },
  more: 'Mostrar más',
  none: 'Ninguna otra prueba de este canal tiene una pregunta así.',
  choose: 'Elija al menos una pregunta',
}

export const BANK_TEXTS: Catalogue<BankText> = { en, de, es }
