//! Medical cases of sample patients: a few consistent ones with codes, doses and laboratory values.

use super::people::SamplePatient;

pub(super) struct Case {
    pub reason: &'static str,
    /// Continues "is a 65-year-old woman".
    pub history: &'static str,
    pub problems: &'static [Problem],
    pub medications: &'static [Medication],
    pub allergy: Allergy,
    pub vitals: Vitals,
    pub examination: &'static str,
    pub plan: &'static [&'static str],
    pub panels: &'static [Panel],
    pub referral: &'static str,
    pub social: &'static str,
}

pub(super) struct Problem {
    pub name: &'static str,
    pub icd10: &'static str,
    pub snomed: &'static str,
    pub since: &'static str,
}

pub(super) struct Medication {
    pub name: &'static str,
    pub rxnorm: &'static str,
    pub directions: &'static str,
    pub since: &'static str,
}

pub(super) struct Allergy {
    pub substance: &'static str,
    pub rxnorm: &'static str,
    pub reaction: &'static str,
    pub reaction_snomed: &'static str,
    pub severity: &'static str,
}

pub(super) struct Vitals {
    pub systolic: u16,
    pub diastolic: u16,
    pub pulse: u16,
    pub temperature_f: &'static str,
    pub oxygen: u16,
    pub weight_lb: u16,
    pub height_in: u16,
}

pub(super) struct Panel {
    pub name: &'static str,
    pub loinc: &'static str,
    pub tests: &'static [Test],
}

pub(super) struct Test {
    pub name: &'static str,
    pub loinc: &'static str,
    pub value: &'static str,
    pub unit: &'static str,
    pub reference: &'static str,
    /// H, L or empty.
    pub flag: &'static str,
}

/// The case of a patient.
pub(super) fn case(patient: &SamplePatient) -> &'static Case {
    let sum: usize = patient.mrn.bytes().map(usize::from).sum();
    &CASES[(sum + 2) % CASES.len()]
}

const fn test(
    name: &'static str,
    loinc: &'static str,
    value: &'static str,
    unit: &'static str,
    reference: &'static str,
    flag: &'static str,
) -> Test {
    Test { name, loinc, value, unit, reference, flag }
}

const METABOLIC: &[Test] = &[
    test("Glucose, fasting", "1558-6", "148", "mg/dL", "70-99", "H"),
    test("Sodium", "2951-2", "139", "mmol/L", "136-145", ""),
    test("Potassium", "2823-3", "3.4", "mmol/L", "3.5-5.1", "L"),
    test("Chloride", "2075-0", "102", "mmol/L", "98-107", ""),
    test("Carbon dioxide", "2028-9", "25", "mmol/L", "22-29", ""),
    test("Urea nitrogen", "3094-0", "17", "mg/dL", "7-20", ""),
    test("Creatinine", "2160-0", "0.94", "mg/dL", "0.74-1.35", ""),
    test("Calcium", "17861-6", "9.4", "mg/dL", "8.6-10.3", ""),
];

const LIPIDS: &[Test] = &[
    test("Cholesterol, total", "2093-3", "198", "mg/dL", "< 200", ""),
    test("Triglycerides", "2571-8", "164", "mg/dL", "< 150", "H"),
    test("HDL cholesterol", "2085-9", "46", "mg/dL", "≥ 40", ""),
    test("LDL cholesterol, calculated", "13457-7", "119", "mg/dL", "< 100", "H"),
];

const BLOOD_COUNT: &[Test] = &[
    test("Leukocytes", "6690-2", "11.8", "10*3/uL", "4.5-11.0", "H"),
    test("Erythrocytes", "789-8", "4.62", "10*6/uL", "4.20-5.40", ""),
    test("Hemoglobin", "718-7", "13.6", "g/dL", "12.0-16.0", ""),
    test("Hematocrit", "4544-3", "40.8", "%", "37.0-47.0", ""),
    test("Platelets", "777-3", "262", "10*3/uL", "150-400", ""),
    test("Eosinophils", "713-8", "6.1", "%", "1.0-4.0", "H"),
];

const THYROID: &[Test] = &[
    test("Thyrotropin (TSH)", "3016-3", "6.84", "mIU/L", "0.45-4.50", "H"),
    test("Thyroxine, free", "3024-7", "0.92", "ng/dL", "0.82-1.77", ""),
    test("Thyroperoxidase antibody", "8099-4", "212", "IU/mL", "0-34", "H"),
];

const INFLAMMATION: &[Test] = &[
    test("C reactive protein", "1988-5", "4.2", "mg/L", "0.0-10.0", ""),
    test("Erythrocyte sedimentation rate", "30341-2", "14", "mm/h", "0-30", ""),
    test("Uric acid", "3084-1", "5.1", "mg/dL", "2.6-6.0", ""),
    test("Rheumatoid factor", "11572-5", "< 10", "IU/mL", "< 14", ""),
];

static CASES: [Case; 4] = [
    Case {
        reason: "Exertional dyspnea over three months and intermittent palpitations. Follow-up of hypertension and \
                 type 2 diabetes.",
        history: "with hypertension, type 2 diabetes and hyperlipidemia who reports shortness of breath after one \
                  flight of stairs since late summer. There is no orthopnea, chest pain at rest or syncope. \
                  Palpitations occur two to three times a week, last under a minute and resolve without treatment. \
                  Home blood pressures have averaged 142/86 over the past four weeks.",
        problems: &[
            Problem { name: "Essential hypertension", icd10: "I10", snomed: "59621000", since: "20140512" },
            Problem {
                name: "Type 2 diabetes mellitus",
                icd10: "E11.9",
                snomed: "44054006",
                since: "20170203",
            },
            Problem { name: "Hyperlipidemia", icd10: "E78.5", snomed: "55822004", since: "20170203" },
        ],
        medications: &[
            Medication {
                name: "Lisinopril 20 MG Oral Tablet",
                rxnorm: "314077",
                directions: "1 tablet by mouth daily",
                since: "20190610",
            },
            Medication {
                name: "Metformin hydrochloride 1000 MG Oral Tablet",
                rxnorm: "861004",
                directions: "1 tablet by mouth twice daily with meals",
                since: "20170301",
            },
            Medication {
                name: "Atorvastatin 40 MG Oral Tablet",
                rxnorm: "617311",
                directions: "1 tablet by mouth at bedtime",
                since: "20180115",
            },
        ],
        allergy: Allergy {
            substance: "Penicillin",
            rxnorm: "70618",
            reaction: "Hives",
            reaction_snomed: "247472004",
            severity: "Moderate",
        },
        vitals: Vitals {
            systolic: 138,
            diastolic: 84,
            pulse: 78,
            temperature_f: "98.2",
            oxygen: 97,
            weight_lb: 182,
            height_in: 66,
        },
        examination: "Well appearing, no distress. Jugular venous pressure 7 cm. Lungs clear to auscultation. Regular \
                      rhythm, S1 and S2 normal, soft S4, no murmur. Trace ankle edema on both sides. Monofilament \
                      sensation intact on both feet.",
        plan: &[
            "Hypertension above goal: increase lisinopril to 40 mg daily; basic metabolic panel in two weeks.",
            "Palpitations and exertional dyspnea: ECG today, refer to cardiology for echocardiogram and monitoring.",
            "Type 2 diabetes: continue metformin, repeat hemoglobin A1c in three months, eye examination is due.",
            "Hyperlipidemia: LDL not at goal; discussed diet, increase atorvastatin if no change at next visit.",
        ],
        panels: &[
            Panel {
                name: "Hemoglobin A1c",
                loinc: "4548-4",
                tests: &[test("Hemoglobin A1c", "4548-4", "7.9", "%", "4.0-5.6", "H")],
            },
            Panel { name: "Basic metabolic panel", loinc: "51990-0", tests: METABOLIC },
            Panel { name: "Lipid panel", loinc: "57698-3", tests: LIPIDS },
        ],
        referral: "evaluation of suspected diastolic dysfunction and rhythm assessment",
        social: "Never smoked. One glass of wine on weekends. Retired teacher, lives with spouse.",
    },
    Case {
        reason: "Cough and wheezing, worse at night, for two weeks after a cold. Review of the asthma action plan.",
        history: "with mild persistent asthma and seasonal allergic rhinitis who had a cold two weeks ago and has \
                  coughed at night since. The rescue inhaler was used four to five times in the past week. There was \
                  no fever and no visit to an emergency department. School and work days missed: one.",
        problems: &[
            Problem {
                name: "Mild persistent asthma",
                icd10: "J45.30",
                snomed: "426979002",
                since: "20150918",
            },
            Problem {
                name: "Seasonal allergic rhinitis",
                icd10: "J30.2",
                snomed: "367498001",
                since: "20160420",
            },
        ],
        medications: &[
            Medication {
                name: "Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler",
                rxnorm: "745679",
                directions: "2 puffs every 4 to 6 hours as needed for wheezing",
                since: "20150918",
            },
            Medication {
                name: "Fluticasone propionate 0.044 MG/ACTUAT Metered Dose Inhaler",
                rxnorm: "896001",
                directions: "2 puffs twice daily with spacer",
                since: "20190305",
            },
            Medication {
                name: "Cetirizine hydrochloride 10 MG Oral Tablet",
                rxnorm: "1014678",
                directions: "1 tablet by mouth daily from April to June",
                since: "20160420",
            },
        ],
        allergy: Allergy {
            substance: "Amoxicillin",
            rxnorm: "723",
            reaction: "Skin rash",
            reaction_snomed: "271807003",
            severity: "Mild",
        },
        vitals: Vitals {
            systolic: 112,
            diastolic: 70,
            pulse: 84,
            temperature_f: "98.6",
            oxygen: 96,
            weight_lb: 128,
            height_in: 64,
        },
        examination: "Comfortable, speaks in full sentences. Nasal mucosa pale and swollen. Scattered expiratory \
                      wheezes on both sides, good air entry, no retractions. Heart regular. Peak flow 82 percent of \
                      personal best.",
        plan: &[
            "Asthma, not well controlled: step up fluticasone for eight weeks, spacer technique reviewed.",
            "Prednisone burst if peak flow falls below 70 percent; the written action plan was updated.",
            "Influenza vaccine given today in the left deltoid.",
            "Return in six weeks, earlier with night waking more than twice a week.",
        ],
        panels: &[Panel {
            name: "Complete blood count with differential",
            loinc: "57021-8",
            tests: BLOOD_COUNT,
        }],
        referral: "pulmonary function testing and advice on controller therapy",
        social: "No tobacco or vaping in the household. One cat at home.",
    },
    Case {
        reason: "Right knee pain for four months, worse on stairs. Annual review of thyroid replacement.",
        history: "with hypothyroidism and osteoarthritis who has had pain on the inner side of the right knee for \
                  four months. Pain is 6 of 10 after walking half a mile, with stiffness of fifteen minutes in the \
                  morning. There was no injury, locking or giving way. Acetaminophen helps a little.",
        problems: &[
            Problem {
                name: "Primary osteoarthritis of right knee",
                icd10: "M17.11",
                snomed: "239873007",
                since: "20220711",
            },
            Problem { name: "Hypothyroidism", icd10: "E03.9", snomed: "40930008", since: "20110309" },
        ],
        medications: &[
            Medication {
                name: "Levothyroxine sodium 0.075 MG Oral Tablet",
                rxnorm: "966222",
                directions: "1 tablet by mouth daily before breakfast",
                since: "20110401",
            },
            Medication {
                name: "Acetaminophen 500 MG Oral Tablet",
                rxnorm: "198440",
                directions: "2 tablets by mouth three times daily as needed for pain",
                since: "20220711",
            },
        ],
        allergy: Allergy {
            substance: "Ibuprofen",
            rxnorm: "5640",
            reaction: "Nausea and vomiting",
            reaction_snomed: "16932000",
            severity: "Mild",
        },
        vitals: Vitals {
            systolic: 126,
            diastolic: 76,
            pulse: 68,
            temperature_f: "97.9",
            oxygen: 98,
            weight_lb: 171,
            height_in: 68,
        },
        examination: "Walks with a slight limp. Right knee: no effusion, medial joint line tender, range 0 to 120 \
                      degrees, ligaments stable. Hips free. Thyroid not enlarged. Skin dry, reflexes normal.",
        plan: &[
            "Osteoarthritis of the right knee: standing radiographs, physical therapy twice a week for six weeks.",
            "Refer to orthopedics for injection and to discuss further options.",
            "Hypothyroidism with raised TSH: increase levothyroxine to 88 mcg, repeat TSH in eight weeks.",
        ],
        panels: &[
            Panel { name: "Thyroid panel", loinc: "55204-3", tests: THYROID },
            Panel { name: "Inflammation and rheumatology", loinc: "55231-5", tests: INFLAMMATION },
        ],
        referral: "evaluation of knee pain that has not improved with four months of conservative care",
        social: "Former smoker, stopped 2009. Works in a garden center.",
    },
    Case {
        reason: "Preventive visit. Two migraines a month, one with visual aura.",
        history: "with migraine who comes for a preventive visit. Headaches occur twice a month, last six to eight \
                  hours and respond to sumatriptan. One began with zigzag lines in the left visual field for twenty \
                  minutes. Sleep is six hours on work days. Mood is good, PHQ-2 score 0.",
        problems: &[
            Problem { name: "Migraine with aura", icd10: "G43.109", snomed: "4473006", since: "20180822" },
            Problem { name: "Vitamin D deficiency", icd10: "E55.9", snomed: "34713006", since: "20231102" },
        ],
        medications: &[
            Medication {
                name: "Sumatriptan 50 MG Oral Tablet",
                rxnorm: "313161",
                directions: "1 tablet by mouth at onset, may repeat once after 2 hours",
                since: "20180822",
            },
            Medication {
                name: "Cholecalciferol 0.025 MG Oral Capsule",
                rxnorm: "316672",
                directions: "1 capsule by mouth daily",
                since: "20231102",
            },
        ],
        allergy: Allergy {
            substance: "Sulfamethoxazole",
            rxnorm: "10180",
            reaction: "Skin rash",
            reaction_snomed: "271807003",
            severity: "Moderate",
        },
        vitals: Vitals {
            systolic: 118,
            diastolic: 72,
            pulse: 66,
            temperature_f: "98.4",
            oxygen: 99,
            weight_lb: 149,
            height_in: 67,
        },
        examination: "Well. Fundi sharp, cranial nerves intact, gait and coordination normal. Neck supple. Heart and \
                      lungs normal. Abdomen soft. Skin without suspicious moles.",
        plan: &[
            "Migraine with aura: headache diary, continue sumatriptan, discuss preventive treatment at 4 a month.",
            "Vitamin D deficiency: level today, continue supplement through winter.",
            "Screening and vaccines reviewed and up to date; tetanus booster given today.",
        ],
        panels: &[
            Panel {
                name: "Vitamin D",
                loinc: "1989-3",
                tests: &[test("25-hydroxyvitamin D", "1989-3", "24", "ng/mL", "30-100", "L")],
            },
            Panel { name: "Complete blood count with differential", loinc: "57021-8", tests: BLOOD_COUNT },
        ],
        referral: "advice on preventive treatment of migraine with aura",
        social: "Never smoked. Two cups of coffee a day. Software tester, runs twice a week.",
    },
];
