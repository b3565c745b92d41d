// Words that say nothing about what is sought. Used only where a search widens to "any of these words".

const ENGLISH =
  "a an and are as at be but by can did do does for from had has have how i if in into is it its me my no not of on or our so than that the their them then there these they this to up was we were what when where which who why will with would you your";
const SPANISH =
  "al como con cual cuando de del donde el ella en entre es esa ese eso esta este esto ha hay la las le lo los mas me mi muy no nos o para pero por que se si sin sobre son su sus te un una uno y ya";

const STOP = new Set(`${ENGLISH} ${SPANISH}`.split(" "));

export const isStopWord = (word: string): boolean => STOP.has(word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, ""));
